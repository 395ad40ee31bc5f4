"""What GAMEPLAN, STATE, GOAL and STEP say of the plan, and the edits that bring each in line with
the files.

Every function here is pure: a document's lines and the facts in, edits out. Whatever already agrees
stays as it is.
"""
