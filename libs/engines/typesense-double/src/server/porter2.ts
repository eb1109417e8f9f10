const VOWEL = '[aeiouy]'
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/
const SHORT_END = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/

const EXCEPTIONS: Record<string, string> = {
  skis: 'ski',
  skies: 'sky',
  dying: 'die',
  lying: 'lie',
  tying: 'tie',
  idly: 'idl',
  gently: 'gentl',
  ugly: 'ugli',
  early: 'earli',
  only: 'onli',
  singly: 'singl',
  sky: 'sky',
  news: 'news',
  howe: 'howe',
  atlas: 'atlas',
  cosmos: 'cosmos',
  bias: 'bias',
  andes: 'andes',
}
const KEPT_AFTER_1A = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
])

const STEP_2: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
]
const STEP_3: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const STEP_4 = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'ion',
  'al',
  'er',
  'ic',
]

/**
 * The English stem of a lower-case word: Porter's second algorithm (snowballstem.org, `english`), which Typesense applies to
 * fields with `stem: true` and Postgres to its `english` texts. A word with other than ASCII letters is left as it is.
 */
export function stem(original: string): string {
  if (original.length <= 2 || !/^[a-z']+$/.test(original)) return original
  const exception = EXCEPTIONS[original]
  if (exception !== undefined) return exception
  let word = original.replace(/^'/, '')
  // A y that begins the word or follows a vowel is a consonant, written Y.
  word = word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y')
  const r1 = regionOne(word)
  const r2 = after(word, r1)
  word = word.replace(/(?:'s'|'s|')$/, '')
  word = pluralOff(word)
  if (KEPT_AFTER_1A.has(word)) return word
  word = pastOff(word, r1)
  word = word.replace(/(?<=.[^aeiouy])[yY]$/, 'i')
  word = stepTwo(word, r1)
  word = stepThree(word, r1, r2)
  word = stepFour(word, r2)
  return stepFive(word, r1, r2).replaceAll('Y', 'y')
}

/** The offset after the first consonant that follows a vowel, from `start` on. */
function after(word: string, start: number): number {
  const found = new RegExp(`${VOWEL}[^aeiouy]`).exec(word.slice(start))
  return found === null ? word.length : start + found.index + 2
}

const regionOne = (word: string) => /^(?:gener|commun|arsen)/.exec(word)?.[0].length ?? after(word, 0)

function pluralOff(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (/(?:ied|ies)$/.test(word)) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1)
  if (/(?:us|ss)$/.test(word)) return word
  return /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word
}

function pastOff(word: string, r1: number): string {
  const eed = /(?:eedly|eed)$/.exec(word)
  if (eed !== null) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word
  const found = /(?:ingly|edly|ing|ed)$/.exec(word)
  if (found === null) return word
  const rest = word.slice(0, found.index)
  if (!/[aeiouy]/.test(rest)) return word
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
  if (DOUBLE.test(rest)) return rest.slice(0, -1)
  return r1 >= rest.length && SHORT_END.test(rest) ? `${rest}e` : rest
}

function stepTwo(word: string, r1: number): string {
  const found = STEP_2.find(([suffix]) => word.endsWith(suffix))
  if (found === undefined) return word
  const rest = word.slice(0, -found[0].length)
  if (rest.length < r1) return word
  if (found[0] === 'ogi' && !rest.endsWith('l')) return word
  if (found[0] === 'li' && !/[cdeghkmnrt]$/.test(rest)) return word
  return rest + found[1]
}

function stepThree(word: string, r1: number, r2: number): string {
  const found = STEP_3.find(([suffix]) => word.endsWith(suffix))
  if (found === undefined) return word
  const rest = word.slice(0, -found[0].length)
  return rest.length < (found[0] === 'ative' ? r2 : r1) ? word : rest + found[1]
}

function stepFour(word: string, r2: number): string {
  const suffix = STEP_4.find((one) => word.endsWith(one))
  if (suffix === undefined) return word
  const rest = word.slice(0, -suffix.length)
  if (rest.length < r2) return word
  return suffix === 'ion' && !/[st]$/.test(rest) ? word : rest
}

function stepFive(word: string, r1: number, r2: number): string {
  const rest = word.slice(0, -1)
  if (word.endsWith('e'))
    return rest.length >= r2 || (rest.length >= r1 && !SHORT_END.test(rest)) ? rest : word
  return word.endsWith('ll') && rest.length >= r2 ? rest : word
}
