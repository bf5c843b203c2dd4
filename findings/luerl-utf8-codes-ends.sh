#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): utf8.codes gives the ends of characters, utf8.len("")
# ends the script.
# Expected: 1, 2 and 4 as the places of a, ä and b (their first bytes), and 0 for utf8.len("").
# Seen: 1, 3 and 4, the last bytes; utf8.len of an empty text is an error.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local places = {}
for place, code in utf8.codes("aäb") do
  places[#places + 1] = place .. ":" .. code
end
local succeeded, length = pcall(utf8.len, "")
return table.concat(places, " ") .. "\nutf8.len of nothing: " .. tostring(succeeded and length)
EOF
run > seen
cat > expected <<'EOF'
1:97 3:228 4:98
utf8.len of nothing: false
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
