"""Three plans whose tasks people name in words: of ordinary titles that resemble each other, of
titles of one common word, and taken over from other tools with their ids.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# A goal, a step, or a task: `x` where it is done, its file's name, its title, and the id that
# another tool gave it.
_LINE = re.compile(
    r"(?:# (?P<goal>.+)|## (?P<step>.+)|(?P<state>[x-]) (?P<slug>\S+): (?P<title>.+?)(?: <(?P<id>.+)>)?)"
)

PLANS = {
    "a": """
# Commands that run
## Skeleton
x set-up-the-manifest: Set up the plugin manifest
x create-image-command: Add the create-image command
x create-video-command: Add the create-video command
## Review command
x review-command: Write the review command
x review-argument-hint: Add argument-hint to the review command
# Settings people can trust
## Reading settings
x read-settings: Read settings from the project folder
x warn-unknown-settings: Warn about unknown settings
## Keys
x keys-out-of-logs: Keep API keys out of the logs
x rotate-keys: Rotate the API keys from the command line
x fail-early-without-key: Fail early when a key is missing
# Ready for other people
## Documentation
x readme-plugin: Write README for the plugin
- readme-create-image: Write README for create-image
- readme-create-video: Write README for create-video
- troubleshooting-page: Write a troubleshooting page
- create-image-argument-hint: Add argument-hint to the create-image command
## Release
- license-and-changelog: Add a license and a changelog
- publish-to-marketplace: Publish to the marketplace
- announce-first-release: Announce the first release
## After the release
- feedback-form: Collect feedback in a form
- measure-usage: Measure how often each command is used
# Video grows up
## Longer videos
- split-into-scenes: Split long videos into scenes
- show-render-progress: Show progress while a video renders
- cancel-render: Cancel a running render
## Sound
- background-music: Add background music
- generate-subtitles: Generate subtitles
""",
    "b": """
# Basics
## Pages
x login: Login
x search: Search
x settings: Settings
## Quality
x tests: Tests
x logging: Logging
x docs: Docs
# Going live
## Backend
x cache: Cache
- search: Search
- tests: Tests
- deploy: Deploy
- review: Review
- migrations: Database migrations
## Frontend
- tests: Tests
- upload: Upload
- clean-up: Clean up
- fix-the-tests: Fix the tests
- update-readme: Update README
- dark-mode: Dark mode
## Monitoring
- alerts: Alerts
- deploy: Deploy
- error-handling: Error handling
# Later
## Growth
- refactor: Refactor
- next-steps: Next steps
- task-list: Task list
- release-2-0: Release 2.0
""",
    "c": """
# Photo albums
## Setup
x project-structure: Create the project structure of the implementation plan <T001>
x vite: Initialize the TypeScript project with Vite <T002>
## Albums
x contract-test-albums: Contract test for `POST /albums` in tests/contract/albums_post.test.ts <T010>
- album-model: Create the `Album` model in src/models/album.ts <T011>
- album-service: Implement `AlbumService.create()` (with name validation) in src/services/album_service.ts <T012>
- album-ordering: Order albums by drag and drop <T013>
## Thumbnails
- thumbnails: 写真のサムネイルを生成する <T020>
- miniaturen: Miniaturen für große Alben zwischenspeichern <T021>
- resize-on-upload: Resize photos on upload so that nothing larger than 2048 px is stored, and keep the original next to it until the nightly cleanup has run <T022>
# Sharing
## Links
x share-page: Page of a shared album <TASK-3>
- zip-export: Export an album as ZIP (streaming, no temp files) <TASK-12>
- zip-progress: Show the progress of an export <TASK-12.1>
- share-by-link: Share an album by link <TASK-14>
## Limits
- rate-limit: Rate limit `GET /share/:id` <TASK-15>
- e2e-sharing: End-to-end tests: sharing, "copy link" and expiry <TASK-16>
# Reported by users
## Bugs
- safari-upload: Upload hangs in Safari 17
- exif-rotation: Photos from phones are rotated (EXIF ignored)
## Wishes
- rename-album: Переименовать альбом
""",  # noqa: E501 (titles of other tools are as long as that)
}


def write_plan(root: Path, name: str) -> None:
    """The `.director/` folder of one of them."""
    folder = root / ".director"
    goals = folder / "goals"
    goals.mkdir(parents=True)
    units: dict[str, list[str]] = {}
    goal, step = goals, goals
    goal_number = step_number = task_number = 0
    for line in PLANS[name].strip().splitlines():
        part = _LINE.fullmatch(line)
        assert part, line
        if part["goal"]:
            goal_number, step_number = goal_number + 1, 0
            goal = goals / f"{goal_number:02}-{_slug(part['goal'])}"
            goal.mkdir()
            _write(goal / "GOAL.md", f"# Goal {goal_number}: {part['goal']}\n")
        elif part["step"]:
            step_number, task_number = step_number + 1, 0
            step = goal / f"{step_number:02}-{_slug(part['step'])}"
            (step / "tasks").mkdir(parents=True)
            _write(step / "STEP.md", f"# Step {step_number}: {part['step']}\n")
        else:
            task_number += 1
            ending = ".done.md" if part["state"] == "x" else ".md"
            file = step / "tasks" / f"{task_number:02}-{part['slug']}"
            if part["id"]:
                units[f"albums/{part['id']}"] = [str(file.relative_to(folder))]
            _write(
                file.with_name(file.name + ending),
                f"# Task: {part['title']}\n\n## What To Do\nBuild it.\n",
            )
    origins = {"sources": {"spec-kit": {"units": units}}} if units else {"sources": {}}
    _write(folder / "origins.json", json.dumps(origins))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")
