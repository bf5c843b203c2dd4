import type { LuaToken } from '../core/lua-tokens.mjs';
import type { Message } from '../core/message.ts';
import { messagesIn } from '../core/message.ts';
import type { LuaScript } from './lua-script.ts';

/** A difference between the robot's Lua and Lua 5.4. */
interface DialectRow {
  /** A script with it: an example of the documentation, and of the tests. */
  readonly script: string;
  /** The robot's behavior, for the documentation. */
  readonly robot: string;
  /** The versions of the robot's Lua (Luerl) that do it, among 1.0 (Debian's), 1.2 (of robots) and 1.5. */
  readonly luerl: string;
  /** The virtual robot's behavior, if it differs from the robot's. */
  readonly virtual?: string;
  /** The sentence of the check of a program, in English and French. */
  readonly warning?: readonly [english: string, french: string];
  /** Finds its places in a script, for the warning. */
  readonly find?: (script: LuaScript) => readonly LuaToken[];
}

const all = '1.0, 1.2, 1.5';

const matching = (tokens: readonly LuaToken[], pattern: RegExp): readonly LuaToken[] =>
  tokens.filter(({ text }) => pattern.test(text));

/** The patterns that a script searches with. */
const patterns = (script: LuaScript): readonly LuaToken[] => script.textArguments(1, 'find', 'gmatch', 'gsub', 'match');

/** Integers that soon need more than 64 bits. */
const isGreat = (text: string): boolean => /^(\d+|0[xX][\da-fA-F]+)$/.test(text) && Number(text) > 2 ** 53;

/** Products that grow: of hashes, `x = x * 33 + y`, and of functions that call themselves, `n * f(n - 1)`. */
const growing = (script: LuaScript): readonly LuaToken[] =>
  script.tokensAt(
    script.placesOf('*').filter((place) => {
      const [variable, factor] = [script.at(place - 1), script.at(place + 1)];
      const isHash = script.at(place - 2) === '=' && script.at(place - 3) === variable && script.at(place + 2) === '+';
      const isRecursive =
        script.at(place + 2) === '(' && script.at(place + 3) === variable && script.at(place + 4) === '-';
      return (isHash && !/[.eE]/.test(factor)) || isRecursive;
    }),
  );

/** Calls of `pcall` and `load` whose second result is used. */
const usedProblems = (script: LuaScript): readonly LuaToken[] =>
  script.tokensAt(
    script.variablePlaces('pcall', 'load', 'loadstring').filter((place) => script.usesMoreResults(place)),
  );

/** `for` with a step that is 0 or no whole number. */
const oddSteps = (script: LuaScript): readonly LuaToken[] =>
  script.tokensAt(
    script
      .placesOf('do')
      .map((place) => place - 1)
      .filter((place) => script.at(place - 1) === ',' && /^(0|\d*\.\d+)$/.test(script.at(place))),
  );

/** THE table of differences on a robot. docs/robot.md shows it; the check of programs warns of it. [ADR 108] */
export const luaDialect: readonly DialectRow[] = [
  {
    script: 'for word in text:gmatch("%a+") do toast(word) end',
    robot: 'ends the script, although `type(string.gmatch)` is `function`',
    luerl: all,
    warning: [
      'a robot has no string.gmatch, and the script ends there. gsub with a function does the same',
      'un robot n’a pas string.gmatch, et le script s’arrête là. gsub avec une fonction fait la même chose',
    ],
    find: (script) => script.fields('string', 'gmatch'),
  },
  {
    script: 'return string.format("%.0f", 2.5)',
    robot: 'ends the script; `%d` with `math.floor` works',
    luerl: all,
    warning: [
      'a robot cannot write numbers with 0 digits behind the point (%.0f), and the script ends there',
      'un robot ne peut pas écrire des nombres avec 0 chiffre après la virgule (%.0f), et le script s’arrête là',
    ],
    find: (script) => matching(script.textArguments(0, 'format'), /(?<!%)(?:%%)*%[-+ #0]*(?:[1-9]\d*)?\.0*[feEgG]/),
  },
  {
    script: 'return ("x1"):match("%f[%d]%d")',
    robot: 'ends the script: no `%f`',
    luerl: all,
    warning: [
      'the patterns of a robot have no %f, and the script ends there',
      'les motifs d’un robot n’ont pas %f, et le script s’arrête là',
    ],
    find: (script) => matching(patterns(script), /(?<!%)(?:%%)*%f/),
  },
  {
    script: 'return ("abab"):match("(ab)%1")',
    robot: 'ends the script: no `%1` in patterns, only in replacements',
    luerl: all,
    warning: [
      'the patterns of a robot have no %1, and the script ends there',
      'les motifs d’un robot n’ont pas %1, et le script s’arrête là',
    ],
    find: (script) => matching(patterns(script), /(?<!%)(?:%%)*%[1-9]/),
  },
  {
    script: 'goto done ::done::',
    robot: 'does not run at all',
    luerl: all,
    warning: [
      'a robot has no goto and labels, and runs nothing of the script',
      'un robot n’a ni goto ni étiquettes, et n’exécute rien du script',
    ],
    find: (script) => script.tokensAt(script.placesOf('goto', '::')),
  },
  {
    script: 'local limit <const> = 5',
    robot: 'does not run at all',
    luerl: '1.0, 1.2; 1.5 knows it',
    warning: [
      'a robot has no <const> and <close>, and runs nothing of the script',
      'un robot n’a ni <const> ni <close>, et n’exécute rien du script',
    ],
    find: (script) =>
      script.tokensAt(
        script
          .placesOf('const', 'close')
          .filter((place) => script.at(place - 1) === '<' && script.at(place + 1) === '>'),
      ),
  },
  {
    script: 'coroutine.wrap(function() end)()',
    robot: 'ends the script: there is no `coroutine`',
    luerl: all,
    warning: ['a robot has no coroutines', 'un robot n’a pas de coroutines'],
    find: (script) => script.variables('coroutine'),
  },
  {
    script: 'xpcall(error, print)',
    robot: 'ends the script: there is no `xpcall`',
    luerl: all,
    warning: ['a robot has no xpcall, but pcall', 'un robot n’a pas xpcall, mais pcall'],
    find: (script) => script.variables('xpcall'),
  },
  {
    script: 'table.move({ 1 }, 1, 1, 2)',
    robot: 'ends the script, as `string.pack`, `string.unpack`, `math.ult` and `utf8.offset` do',
    luerl: all,
    warning: ['a robot does not have this function', 'un robot n’a pas cette fonction'],
    find: (script) => [
      ...script.fields('table', 'move'),
      ...script.fields('string', 'pack', 'packsize', 'unpack'),
      ...script.fields('math', 'ult'),
      ...script.fields('utf8', 'offset'),
    ],
  },
  {
    script: '--[==[\nreturn "this runs"\n--]==]',
    robot: 'takes `--[==[` for a comment of one line: the rest runs',
    luerl: all,
    warning: [
      'on a robot this comment ends with the line, and what follows runs. --[[ begins a long one',
      'sur un robot, ce commentaire finit avec la ligne, et la suite est exécutée. --[[ en commence un long',
    ],
    find: (script) => script.comments.filter(({ text }) => /^--\[=+\[/.test(text)),
  },
  {
    script: 'return "\\u{B0}", "\\a"',
    robot: 'leaves the backslash out: `u{B0}`, `a`',
    luerl: '1.0, 1.2; 1.5 knows `\\u`',
    warning: [
      'a robot leaves out the backslash here, and keeps the letters. utf8.char(176) is °',
      'un robot laisse de côté la barre oblique ici, et garde les lettres. utf8.char(176) est °',
    ],
    find: (script) => script.quoted(/(?<!\\)(?:\\\\)*\\[ua]/),
  },
  {
    script: 'toast("21 °C")',
    robot:
      'reads the script as Latin-1: sends `21 Â°C`, and `#"°"` is 4. `"21 " .. utf8.char(176) .. "C"` is right everywhere',
    luerl: '1.2',
    warning: [
      'a robot sends other characters for those beyond ASCII in this text: “Â°” for “°”. utf8.char(176) is ° everywhere',
      'un robot envoie d’autres caractères pour ceux hors ASCII de ce texte : « Â° » pour « ° ». utf8.char(176) est ° partout',
    ],
    find: (script) => script.texts.filter(({ text }) => /[^\0-\x7f]/.test(text)),
  },
  {
    script: 'return [====[x]====]',
    robot: 'does not run at all: at most three `=`; 1.0 reads one level only',
    luerl: all,
    warning: [
      'a robot does not know long text with so many “=”',
      'un robot ne connaît pas les longs textes avec autant de « = »',
    ],
    find: (script) => script.texts.filter(({ text }) => /^\[={4,}\[/.test(text)),
  },
  {
    script: 'return 9223372036854775808',
    robot: 'calculates with integers of any size',
    luerl: all,
    virtual: 'ends the script where a product has more than 64 bits; sums begin again at the other end',
    warning: [
      'a robot calculates with integers of any size; the virtual robot has 64 bits',
      'un robot calcule avec des entiers de toute taille ; le robot virtuel a 64 bits',
    ],
    find: (script) => [
      ...script.numbers.filter(({ text }) => isGreat(text)),
      ...script.fields('math', 'maxinteger', 'mininteger'),
      ...script.tokensAt(script.placesOf('<<')),
      ...growing(script),
    ],
  },
  {
    script: 'local succeeded, problem = pcall(toast)',
    robot: "catches other texts, without a line: `bad arithmetic '+' on nil,1`",
    luerl: `${all}: each has its own`,
    virtual: 'the robot’s text for what the script raised, and for some others',
    warning: [
      'the text of an error that Lua found itself is another one on a robot. Only whether it succeeded is the same',
      'le texte d’une erreur que Lua a trouvée lui-même est un autre sur un robot. Seul le succès est le même',
    ],
    find: usedProblems,
  },
  {
    script: 'pcall(function() assert(false, "stop") end)',
    robot: 'ends the script: `pcall` does not catch a failed `assert` with a text, nor `math.sqrt(-1)`',
    luerl: '1.0, 1.2; 1.5 catches `assert`',
    warning: [
      'on a robot pcall does not catch a failed assert: the script ends. pcall catches error',
      'sur un robot, pcall n’intercepte pas un assert qui échoue : le script s’arrête. pcall intercepte error',
    ],
    find: (script) => (script.variables('pcall').length > 0 ? script.variables('assert') : []),
  },
  {
    script: 'os.execute("date")',
    robot: 'runs it: nothing of Luerl is removed, so `os.execute`, `os.getenv`, `io`, `require` and `dofile` are there',
    luerl: all,
    virtual: 'has none of them',
    warning: [
      'this reaches the computer of a robot; the virtual robot does not have it',
      'ceci atteint l’ordinateur d’un robot ; le robot virtuel ne l’a pas',
    ],
    find: (script) => [
      ...script.variables('dofile', 'io', 'loadfile', 'package', 'require'),
      ...script.fields('os', 'execute', 'exit', 'getenv', 'remove', 'rename', 'tmpname'),
      ...script.fields('string', 'dump'),
    ],
  },
  {
    script: 'return os.date("!%H:%M", 3600)',
    robot: 'keeps the `!`; times are UTC anyway. `"!*t"` is text, and `%j`, `%U` stay as they are',
    luerl: '1.2, 1.5; 1.0 ignores the format',
    warning: [
      'a robot keeps the “!” in the text; its times are UTC without it',
      'un robot garde le « ! » dans le texte ; ses heures sont en UTC sans cela',
    ],
    find: (script) => script.textArguments(0, 'date').filter(({ text }) => text[1] === '!'),
  },
  {
    script: 'return load("return x", "name", "t", { x = 3 })()',
    robot: 'ignores the environment: the script’s variables',
    luerl: all,
    warning: ['load ignores the environment on a robot', 'load ignore l’environnement sur un robot'],
    find: (script) => script.tokensAt(script.placesOf('load').filter((place) => script.argumentCount(place + 1) > 3)),
  },
  {
    script: 'setmetatable(one, { __lt = less }) return one <= two',
    robot: '`a <= b` with `__lt` and without `__le` is `b < a`',
    luerl: all,
    virtual: 'ends the script',
    warning: [
      'without __le, a robot takes b < a for a <= b. Define __le, too',
      'sans __le, un robot prend b < a pour a <= b. Définissez aussi __le',
    ],
    find: (script) => {
      const compares = script.placesOf('<=', '>=').length > 0 && script.placesOf('__le').length === 0;
      return compares ? script.tokensAt(script.placesOf('__lt')) : [];
    },
  },
  {
    script: 'return _ENV',
    robot: '`_ENV` is a variable like any other: nil',
    luerl: all,
    virtual: 'the table of variables',
    warning: ['a robot has no _ENV', 'un robot n’a pas _ENV'],
    find: (script) => script.variables('_ENV'),
  },
  {
    script: 'for i = 1, 2, 0.5 do toast(i) end',
    robot: 'begins with the integer: 1, 1.5, 2.0; a step of 0 runs nothing',
    luerl: all,
    virtual: '1.0, 1.5, 2.0; a step of 0 ends the script',
    warning: [
      'with this step a robot counts otherwise than the virtual robot: 1, 1.5, 2.0, and not at all with 0',
      'avec ce pas, un robot compte autrement que le robot virtuel : 1, 1.5, 2.0, et pas du tout avec 0',
    ],
    find: oddSteps,
  },
  {
    script: 'return 1000.0 .. "", 6 / 2 .. "", 5e4 .. ""',
    robot: '`1.0e3`, `3.0`, `5.0e4`: as Erlang writes floats',
    luerl: '1.2, 1.5; 1.0 writes `1000`, `3`, `50000`',
  },
  { script: 'return 0.1 + 0.2 .. ""', robot: '`0.30000000000000004`: all digits', luerl: all },
  {
    script: 'return tonumber("17"), "10" + 5, select("#", 1, 2)',
    robot: 'floats: `17.0`, `15.0`, `2.0`; `os.time()` has a fraction, too',
    luerl: all,
  },
  {
    script: 'return "/api/points/" .. tonumber("17")',
    robot: '`/api/points/17.0`; `math.floor` makes an integer',
    luerl: '1.2, 1.5; 1.0 writes `17`',
  },
  {
    script: 'return string.format("%.1f", 0.25), string.format("%g", 12.5)',
    robot: '`0.3`, `12.5000`: half up; `%g` with zeros',
    luerl: all,
  },
  { script: 'return string.format("C:\\\\x")', robot: '`C:x`: formats lose backslashes', luerl: all },
  {
    script: 'return 1 / 0',
    robot: 'ends the script (`pcall` catches it), as `0 / 0`, `1 // 0`, `1e308 * 10` and `1e308 + 1e308`',
    luerl: '1.2, 1.5; in 1.0 `pcall` does not catch it',
    virtual: 'the same; a sum that is too great ends it only where it is written, multiplied or divided',
  },
  { script: 'return math.sqrt(-1)', robot: 'ends the script, also within `pcall`', luerl: all },
  { script: 'return -1 // 2', robot: '0 instead of -1', luerl: all },
  {
    script: 'return ~5 & 2',
    robot:
      '-1, as `~(5 & 2)`: all but `|`, `~`, comparisons, `and` and `or` binds more than `~`. `(~5) & 2` is 2 everywhere',
    luerl: all,
  },
  {
    script: 'local t = { 1, 2, 3, 4 } t[2] = nil t[#t + 1] = "x" return t[2], #t',
    robot: '`x`, 4: a list ends at its first hole, and `#t + 1` fills it',
    luerl: all,
  },
  {
    script: 'local t = { { 1, "a" }, { 1, "b" } } table.sort(t, function(x, y) return x[1] < y[1] end) return t[1][2]',
    robot: '`b`: equal elements are turned around; `<=` keeps them, and is no error',
    luerl: all,
  },
  {
    script: 'local keys = "" for key in pairs({ b = 1, a = 2, 3 }) do keys = keys .. key end return keys',
    robot: '`1ab`: the list, then the keys in order',
    luerl: all,
  },
  {
    script: 'return pcall(error, { code = 1 })',
    robot: 'text such as `table: 14`, not the table',
    luerl: '1.2, 1.5; 1.0 gives the table',
  },
  { script: 'return (""):match("^%s*$")', robot: 'nil: nothing matches in an empty text', luerl: all },
  { script: 'return ("abc"):gsub("%w*", "x")', robot: '`xx`: the end matches once more', luerl: all },
  { script: 'return ("a{b}|c"):match("%p")', robot: 'nil: `@ { | }` are no punctuation', luerl: all },
  {
    script: 'return ("M\\xD6HRE"):lower()',
    robot: 'changes each byte as a letter of Latin-1, which breaks UTF-8',
    luerl: all,
  },
  { script: 'return ("abc"):find("b", nil, true)', robot: 'ends the script: the start must be a number', luerl: all },
  {
    script: 'return math.pow(2, 3), math.log10(100), unpack({ 1 }), bit32.band(6, 3)',
    robot: '8.0, 2.0, 1, 2.0: functions of older versions are there',
    luerl: all,
  },
  {
    script: 'local sum = 0 for i = "1", "2" do sum = sum + i end return sum',
    robot: '3.0: text is a bound, too',
    luerl: all,
  },
];

const say = messagesIn({
  en: { inLine: (line: number, sentence: string) => `Line ${line}: ${sentence}.` },
  fr: { inLine: (line, sentence) => `Ligne ${line} : ${sentence}.` },
});

const warnings = luaDialect.flatMap(({ find, warning: [en, fr] = ['', ''] }) =>
  find ? [{ find, sentence: messagesIn({ en: { said: en }, fr: { said: fr } }).said }] : [],
);

/** Returns the differences on a robot in a script, line by line. Nothing is run. */
export function luaDialectWarnings(script: LuaScript): { readonly line: number; readonly message: Message }[] {
  return warnings
    .flatMap(({ find, sentence }) =>
      [...new Set(find(script).map(({ line }) => line))].map((line) => ({ line, message: say.inLine(line, sentence) })),
    )
    .sort((a, b) => a.line - b.line);
}
