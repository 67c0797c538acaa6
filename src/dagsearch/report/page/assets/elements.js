// Elements, numbers and the data of the page. Text is always set as text, never parsed as HTML.
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const data = JSON.parse(document.getElementById("page-data").textContent);
const byId = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG_NAMESPACE, name), attributes, children);

function percent(value) {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value <= 0.005) return "< 1%";
  if (value < 1 && value >= 0.995) return "> 99%";
  return `${Math.round(100 * value)}%`;
}

const counted = (number, one) => `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;

// Names may be 500 characters long: a picture shows the beginning and the end, where long names differ.
const clipped = (text, most = 24) => {
  const line = text.replace(/\s+/g, " ");
  const end = Math.floor((most - 1) / 2);
  return line.length > most ? `${line.slice(0, most - 1 - end)}…${line.slice(line.length - end)}` : line;
};

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const isNumber = (value) => value !== null && value !== undefined;
