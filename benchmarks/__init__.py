"""What dctx costs: ratios against a floor and against other tools, all measured in one run."""
