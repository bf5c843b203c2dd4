#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): a function as __newindex ends the script, and no pcall
# catches it.
# Expected: the call of the function, as for __index.
# Seen: function_clause, out of Luerl; a table as __newindex works.
# Needs Debian's erlang-base; the package itself is unpacked in a temporary folder.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq erlang-luerl=1:1.0-2 2>/dev/null
dpkg -x erlang-luerl_*.deb .

# Runs script.lua: prints its result, or why it ended.
run() {
  erl -noshell -pa usr/lib/erlang/lib/luerl-1/ebin -eval '
    {ok, Script} = file:read_file("script.lua"),
    case luerl:eval(Script, luerl:init()) of
      {ok, [Text | _]} when is_binary(Text) -> io:format("~ts~n", [Text]);
      {error, Reason, _} when is_tuple(Reason) -> io:format("ends: ~w~n", [element(1, Reason)]);
      {error, Reason, _} -> io:format("ends: ~w~n", [Reason])
    end,
    halt().'
}

cat > script.lua <<'EOF'
local store = {}
local proxy = setmetatable({}, { __newindex = store, __index = function(_, key) return key .. "!" end })
proxy.x = 1
return "table: " .. tostring(store.x) .. ", __index: " .. proxy.y
EOF
run > seen
cat > expected <<'EOF'
table: 1, __index: y!
EOF
diff expected seen

cat > script.lua <<'EOF'
local proxy = setmetatable({}, { __newindex = function(table, key, value) rawset(table, key, value) end })
return pcall(function() proxy.x = 1 end)
EOF
run | tail -n 1 > seen
echo 'ends: function_clause' > expected
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
