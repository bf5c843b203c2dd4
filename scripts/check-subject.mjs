// Checks the subject of the commit message on standard input, for the hooks in .githooks.
import { readFileSync } from 'node:fs';

const types = ['feat', 'fix', 'perf', 'test', 'docs', 'refactor', 'chore'];
/** Maximum length of a subject, in characters: `git log --oneline` shows it in a terminal of 80 columns. */
const maxLength = 72;
/** How a subject may begin: a list, because English tells a verb in the imperative from a noun by its meaning only. */
const verbs = new Set(
  `abort accept add adjust adopt align allow anchor announce answer apply archive ask assert assign attach avoid await
  back-port batch begin bind block bound bring bump cache call cancel cap catch change check choose clarify clean clear
  close collapse collect combine compare compile complete compress compute connect convert copy correct count cover
  create cut declare decode default defer delay delete deny deprecate derive describe detach detect disable disconnect
  discard distinguish do document drop embed enable encode end enforce ensure escape exclude expand expect explain
  export expose extend extract fail fetch fill filter find finish fit fix fold follow forbid format generate give group
  guard handle hide hold ignore implement import improve include increase index infer initialize inline insert install
  introduce invalidate isolate join keep leave lengthen let limit link list listen load lock log look lower make mark
  match measure memoize mend mention merge migrate move name narrow normalize note notify offer omit open order pack parse
  pass pause permit pin place poll prefer prefix prepare present preserve prevent print profile protect prove publish
  pull put quote raise read rebuild recognize reconnect record redact redirect reduce refactor refer refresh refuse
  regenerate reject release reload remove rename render repair repeat replace replay report require reset resolve
  respect respond restart restore restrict resume retry return reuse revert review revoke rewrite roll rotate round run
  save say scope send separate serve set share shorten show shrink sign simplify size skip sort speed split start state
  stop store stream strip suggest support suppress swap switch synchronize take tell test throttle throw tighten track
  translate treat trim truncate try turn type unify update upgrade use validate verify wait walk warn widen wrap write`.split(
    /\s+/,
  ),
);

/** Returns what is wrong with a message; null if nothing is. */
function problemOf(message) {
  const [subject, second = ''] = message.split('\n');
  // Git writes these itself.
  if (/^(Merge |Revert "|(fixup|squash|amend)! )/.test(subject)) return null;
  const [, type, effect] = /^([a-z]+)(?:\([a-z0-9-]+\))?!?: (\S.*)$/.exec(subject) ?? [];
  if (!types.includes(type)) return `It does not begin with a type, a colon and a space. Types: ${types.join(', ')}.`;
  const length = [...subject].length;
  if (length > maxLength) return `It has ${length} characters, more than ${maxLength}.`;
  const [word] = effect.split(' ');
  if (verbs.has(word.toLowerCase()) && !verbs.has(word)) return `"${word}" begins with a capital letter.`;
  if (!verbs.has(word))
    return `"${word}" is not a verb in the imperative, such as "add". If it is, list it in scripts/check-subject.mjs.`;
  if (effect.endsWith('.')) return 'It ends with a period.';
  if (second !== '') return 'No empty line follows it.';
  return null;
}

const message = readFileSync(0, 'utf8');
const problem = problemOf(message);
if (problem !== null) {
  console.error(`The subject of the commit, "${message.split('\n')[0]}", is not as CONTRIBUTING.md says. ${problem}`);
  process.exitCode = 1;
}
