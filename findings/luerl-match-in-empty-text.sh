#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): string.match finds nothing in an empty text, string.find
# does.
# Expected: "" for (""):match("^%s*$"), the usual test for blank text.
# Seen: nil, for every pattern; string.find gives 1 and 0 for the same.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
return table.concat({
  "match ^%s*$: " .. tostring((""):match("^%s*$")),
  "match .*: " .. tostring((""):match(".*")),
  "match ^%s*$ of a space: '" .. tostring((" "):match("^%s*$")) .. "'",
  "find ^%s*$: " .. table.concat({ (""):find("^%s*$") }, " "),
}, "\n")
EOF
run > seen
cat > expected <<'EOF'
match ^%s*$: nil
match .*: nil
match ^%s*$ of a space: ' '
find ^%s*$: 1 0
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
