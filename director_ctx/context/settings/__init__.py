"""What a project and its user decide: profiles, kinds of tasks, models, budgets, `dctx.yaml`. Begin
with `profiles`.
"""
