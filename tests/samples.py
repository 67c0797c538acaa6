"""Tests of which the default run takes the first cases only: the others are as long together as they are alike.

All cases run with the long tests. A test that is not here runs whole, by default or, if it is marked, with the long
ones.
"""

DEFAULT_CASES = {
    "hostile/test_fuzz.py": {
        "test_changed_files_are_read_or_refused": 8,
    },
    "test_certify.py": {
        "test_every_method_is_certified_among_the_graphs_it_could_have_returned": 10,
    },
    "test_chains.py": {
        "test_edge_probabilities_of_five_nodes_are_those_of_all_dags": 1,
        "test_every_move_alone_keeps_the_distribution_over_all_dags_of_four_nodes": 3,
        "test_thinned_samples_have_the_distribution_over_all_dags": 1,
    },
    "test_checkpoint.py": {
        "test_a_search_goes_on_from_many_points_to_the_same_end": 6,
    },
    "test_cli_writes.py": {
        "test_a_full_disk_behind_standard_output_is_one_line": 1,
    },
    "test_column_order.py": {
        "test_the_graph_does_not_depend_on_the_order_of_columns_of_numbers": 8,
    },
    "test_deletions.py": {
        "test_the_backward_phase_ends_where_that_of_the_package_ges_does": 3,
    },
    "test_estimators.py": {
        "test_without_a_budget_wide_tables_get_fewer_simulations_by_default": 1,
    },
    "test_estimators_seeds.py": {
        "test_n_jobs_changes_nothing": 6,
    },
    "test_evidence.py": {
        "test_values_equal_those_of_the_slow_twin_if_factors_leave_nothing_out": 5,
    },
    "test_exact.py": {
        "test_optima_of_benchmark_tables_are_those_known_and_gobnilp_has_none_higher": 2,
    },
    "test_exact_background.py": {
        "test_when_somebody_ends_the_search_no_thread_and_no_process_goes_on": 1,
    },
    "test_exact_search.py": {
        "test_the_best_graphs_are_the_first_of_all_sorted_by_reward": 12,
        "test_the_optimum_is_that_of_brute_force_over_all_dags_of_five_nodes": 3,
        "test_wherever_a_search_ends_early_its_graph_fits_and_its_bound_holds": 6,
    },
    "test_fitted_scores.py": {
        "test_gaussian_process_rss_equals_scikit_learn": 2,
    },
    "test_ges.py": {
        "test_on_dense_models_of_fourteen_variables_the_class_is_that_of_the_package": 0,
        "test_on_random_discrete_models_the_class_is_that_of_the_package": 5,
        "test_on_random_linear_models_the_class_is_that_of_the_package": 2,
        "test_on_samples_of_networks_the_class_is_that_of_the_package": 1,
        "test_phases_in_any_order_lead_where_those_of_the_package_lead": 1,
        "test_variables_beyond_the_first_word_are_as_good_as_others": 2,
        "test_with_random_scores_each_tie_is_broken_as_by_the_package": 10,
    },
    "test_ges_steps.py": {
        "test_a_time_limit_holds_on_a_hundred_dense_variables": 1,
    },
    "test_growth.py": {
        "test_branches_of_counts_are_local_scores_and_none_that_pays_is_missing": 4,
        "test_parents_that_others_make_needless_are_dropped": 1,
    },
    "test_guided.py": {
        "test_guided_searches_equal_their_naive_twin_with_several_words": 0,
    },
    "test_interventional_classes.py": {
        "test_arrows_are_what_all_dags_of_four_nodes_agree_on_that_one_experiment_does_not_tell_apart": 4,
    },
    "test_near_collinear.py": {
        "test_searches_that_grow_parent_sets_see_the_same_scores": 1,
    },
    "test_orders.py": {
        "test_the_number_of_threads_changes_nothing": 2,
    },
    "test_proofs.py": {
        "test_on_a_wide_network_the_best_graph_known_is_not_called_optimal_among_sparser_ones": 1,
    },
    "test_search.py": {
        "test_running_out_of_memory_on_the_way_changes_nothing": 2,
        "test_with_the_rules_of_the_papers_runs_it_equals_its_naive_twin": 6,
    },
    "test_seeds.py": {
        "test_causes_that_pay_only_together_are_found_and_not_without_a_survey_of_pairs": 2,
    },
    "test_sklearn_checks.py": {
        "test_all_checks_pass_but_those_with_a_reason": 4,
    },
}
"""By the file, below the folder of tests, and the test: how many of its cases run by default."""

SLOW_TO_COMPILE = "bic-quadratic"
ORDER_SEARCHES = ("test_exact.py", "test_growth.py", "test_orders.py", "test_refine.py")
"""In these files, what has to do with this score runs with the long tests: its kernels of searches over orders take a
quarter of a minute to compile. `test_quadratic_growth` tests by default what is in them."""
