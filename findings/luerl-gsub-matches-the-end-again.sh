#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): gsub with %w* replaces the end of a match once more.
# Expected: "x x" for ("abc def"):gsub("%w*", "x"), as Lua 5.4 does.
# Seen: "xx xx", four replacements.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local text, count = ("abc def"):gsub("%w*", "x")
return text .. ", " .. count
EOF
run > seen
cat > expected <<'EOF'
xx xx, 4
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
