#!/bin/sh
# A short tour on the bundled example: what `make demo` shows. Usage: demo.sh BIN_FOLDER PROJECT_FOLDER
set -eu
PATH="$1:$PATH"
cd "$2"

show() {
    printf '\n$ %s\n' "$*"
}

show "dctx status"
dctx status
show "dctx next"
dctx next
show "dctx budget builder"
dctx budget builder
show "dctx assemble builder > context.txt"
dctx assemble builder > context.txt
printf '%s lines; this is how it begins and ends:\n' "$(wc -l < context.txt | tr -d ' ')"
head -n 12 context.txt
printf '...\n'
tail -n 6 context.txt
rm context.txt
show "dctx assemble builder --budget 3000 --explain > /dev/null"
dctx assemble builder --budget 3000 --explain > /dev/null
show "dctx task done 3"
dctx task done 3
show "dctx assemble builder -o /dev/null && dctx diff --summary"
dctx assemble builder -o /dev/null && dctx diff --summary
show "dctx plan from-folder && dctx plan show | head -4"
dctx plan from-folder && dctx plan show | head -4
show "dctx vars set api '{\"url\": \"https://example.org\", \"token\": \"t-483-1971\"}' --reason 'To read along' && dctx vars list"
dctx vars set api '{"url": "https://example.org", "token": "t-483-1971"}' --reason 'To read along' && dctx vars list
show "dctx assemble director | grep '^([1-7])'"
dctx assemble director | grep '^([1-7])'
printf '\nThe example is in %s. To hand the context to an agent: dctx assemble builder | claude -p\n' "$PWD"
