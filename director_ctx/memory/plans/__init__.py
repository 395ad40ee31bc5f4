"""The plan with its versions, beside the folder and on its own. Begin with `plan`."""
