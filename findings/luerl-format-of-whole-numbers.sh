#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): string.format takes no integer for %f, %g and %e, and
# loses backslashes.
# Expected: 100.000000 for %f of 100, 100 for %g, 1.000000e+02 for %e, and a\\b for the format "a\\\\b".
# Seen: %f, %g, %e and %u of an integer are errors. 100.0 is written as 100.000 and 1.000000e+2. Backslashes in formats
# are left out.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local lines = {}
for _, layout in ipairs({ "%f", "%g", "%e", "%u" }) do
  local succeeded, text = pcall(string.format, layout, 100)
  lines[#lines + 1] = layout .. " of 100: " .. tostring(succeeded and text)
end
lines[#lines + 1] = "%g of 100.0: " .. string.format("%g", 100.0)
lines[#lines + 1] = "%e of 100.0: " .. string.format("%e", 100.0)
lines[#lines + 1] = "backslash: " .. string.format("a\\b %s", "c\\d")
return table.concat(lines, "\n")
EOF
run > seen
cat > expected <<'EOF'
%f of 100: false
%g of 100: false
%e of 100: false
%u of 100: false
%g of 100.0: 100.000
%e of 100.0: 1.000000e+2
backslash: ab c\d
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
