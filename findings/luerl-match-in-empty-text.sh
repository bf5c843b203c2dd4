#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): string.match finds nothing in an empty text, string.find
# does.
# Expected: "" for (""):match("^%s*$"), the usual test for blank text.
# Seen: nil, for every pattern; string.find gives 1 and 0 for the same.
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
