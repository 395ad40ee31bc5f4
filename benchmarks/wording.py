"""The documents of the generated project, with blanks for what differs from one to the next."""

from __future__ import annotations

VISION = """# Vision

## Project Name
Tool Library

## What It Does
{0}

## Who It's For
{1}

## Key Features
{2}

## Tech Stack
Python, the standard library and one SQLite file.

## Success Looks Like
{3}

## Decisions Made

| Decision | Why |
|---|---|
| One file for everything | It can be copied away by anybody |
"""

GAMEPLAN = """# Gameplan

## Overview
{0}

## Goals

{1}

## Current Focus

**Current Goal:** Goal 6
**Current Step:** Step 3 (Looking after deposits)
**Next Up:** A page for deposits
"""

STATE = """# State

**Status:** In progress
**Last updated:** 2025-03-20 21:10

## Current Position

**Current goal:** Looking after members
**Current step:** Looking after deposits
**Current task:** A page for deposits
**Position:** Goal 6, Step 3, Task 3

## Recent Activity
"""

GOAL = """# Goal {0}: {1}

## What Success Looks Like
{2}

## Steps

{3}

## Status

**Progress:** Not started
**Steps complete:** 0 of 10
"""

STEP = """# Step {0}: {1}

## What This Delivers
{2}

## Tasks

{3}

## Needs First
Needs the step before this one to be complete.

## Decisions

### Locked
- {4}
- {5}

### Flexible
- Wording of headings and of the empty page

### Deferred
- Pictures or colours for each member
"""

TASK = """# Task: {0}

## What To Do
{1} {2}

## Why It Matters
{3}

## Size
**Estimate:** medium
A few files, and one thing to look at when it is done.

## Done When
- [ ] {4}
- [ ] {5}
- [ ] An unknown name gives an explanation and no error

## Needs First
{6}
"""
