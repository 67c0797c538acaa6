// Charts as SVG: a frame with axes, and marks in the units of the data.
const PLAIN_CHART = { width: 400, height: 250, right: 12, top: 10, bottom: 42 };
const LETTER = 8; // at most, on small screens

const longest = (ticks) => Math.max(0, ...ticks.map(({ text }) => text.length));
const roomFor = (ticks) => Math.max(54, 26 + LETTER * longest(ticks));

function rangeOf(values, margin = 0.04) {
  const known = values.filter(isNumber);
  if (!known.length) return [0, 1];
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  const room = (high - low || Math.abs(high) || 1) * margin;
  return [low - room, high + room];
}

// About as many ticks as wanted, rather a few more than too few to read values off.
function ticksOf([low, high], wanted = 5) {
  const raw = (0.7 * (high - low)) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= raw * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) {
    ticks.push({ value: k * step, text: tickText(k, step) });
  }
  return ticks;
}

// Along the bottom: long numbers stand farther apart.
function fewTicksOf(range) {
  const ticks = ticksOf(range, 5);
  return LETTER * longest(ticks) * ticks.length < 300 ? ticks : ticksOf(range, 3);
}

// The number of a tick with as many digits as tell it from the next one.
function tickText(k, step) {
  if (k === 0) return "0";
  const value = k * step;
  const last = Math.floor(Math.log10(step) + 1e-9);
  const first = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
  if (last >= 5 || first < -3) return value.toExponential(clamp(first - last, 0, 15));
  return value.toLocaleString("en", { maximumFractionDigits: clamp(-last, 0, 15), useGrouping: first >= 4 });
}

// A frame with scales `x` and `y`; `label` is what a screen reader says of the picture.
function chart({
  x, y, xLabel = "", yLabel = "", label, xTicks = fewTicksOf(x), yTicks = ticksOf(y, 4), ...sizes
}) {
  const size = { ...PLAIN_CHART, left: roomFor(yTicks), ...sizes };
  const inner = { x0: size.left, x1: size.width - size.right, y0: size.height - size.bottom, y1: size.top };
  const scale = ([low, high], from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  const toX = scale(x, inner.x0, inner.x1);
  const toY = scale(y, inner.y0, inner.y1);
  const root = svg("svg", {
    class: "chart", viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label,
  });
  const add = (name, attributes, ...children) => {
    const mark = svg(name, attributes, ...children);
    root.append(mark);
    return mark;
  };
  for (const { value, text } of xTicks) {
    add("line", { class: "grid", x1: toX(value), x2: toX(value), y1: inner.y0, y2: inner.y1 });
    add("text", { class: "tick", x: toX(value), y: inner.y0 + 14, "text-anchor": "middle" }, text);
  }
  for (const { value, text } of yTicks) {
    add("line", { class: "grid", x1: inner.x0, x2: inner.x1, y1: toY(value), y2: toY(value) });
    add("text", { class: "tick", x: inner.x0 - 5, y: toY(value) + 3.5, "text-anchor": "end" }, text);
  }
  add("text", { class: "axis", x: (inner.x0 + inner.x1) / 2, y: size.height - 6, "text-anchor": "middle" }, xLabel);
  const middle = (inner.y0 + inner.y1) / 2;
  add("text", { class: "axis", "text-anchor": "middle", transform: `translate(11 ${middle}) rotate(-90)` }, yLabel);
  return { root, toX, toY, add, inner, size };
}

const pathThrough = (xs, ys) => xs.map((x, k) => `${k ? "L" : "M"}${x.toFixed(1)} ${ys[k].toFixed(1)}`).join("");

function addLine(frame, xs, ys, attributes) {
  return frame.add("path", { d: pathThrough(xs.map(frame.toX), ys.map(frame.toY)), fill: "none", ...attributes });
}

function addBand(frame, xs, lows, highs, attributes) {
  const there = pathThrough(xs.map(frame.toX), highs.map(frame.toY));
  const back = pathThrough([...xs].reverse().map(frame.toX), [...lows].reverse().map(frame.toY)).replace("M", "L");
  return frame.add("path", { d: `${there}${back}Z`, ...attributes });
}

function addPoints(frame, xs, ys, attributes) {
  const inside = ([low, high], value) => value >= Math.min(low, high) - 1 && value <= Math.max(low, high) + 1;
  xs.forEach((x, k) => {
    const [cx, cy] = [frame.toX(x), frame.toY(ys[k])];
    if (inside([frame.inner.x0, frame.inner.x1], cx) && inside([frame.inner.y0, frame.inner.y1], cy)) {
      frame.add("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 2, ...attributes });
    }
  });
}

// Lines of several series are told apart by colour, by dashes and by their names.
function legend(entries) {
  return html("ul", { class: "key" }, entries.map(({ name, kind }) =>
    html("li", {}, svg("svg", { class: "swatch", viewBox: "0 0 26 8", "aria-hidden": "true" },
      svg("path", { d: "M0 4H26", class: `series ${kind}` })), ` ${name}`)));
}
