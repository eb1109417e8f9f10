import { describe, expect, test } from 'vitest'
import { comparedText, repeats } from './near-identical.ts'

const repeated = (text: string, known: string) => repeats(comparedText(text), comparedText(known))
const LONG =
  'The release train leaves every second Tuesday after the nightly build has passed and the change log was read by two people from different teams who were not part of the work'

describe('what a prompt says once (capability 21)', () => {
  test.each([
    ['another case, accents and punctuation', 'Wir treffen uns im Café!', 'wir treffen uns im cafe'],
    ['a part of it', 'the nightly build has passed', LONG],
    ['another word in a long text', LONG.replace('people', 'persons'), LONG],
  ])('%s repeats it', (_, text, known) => expect(repeated(text, known)).toBe(true))

  test.each([
    ['another number', 'We meet at 5 in the big room', 'We meet at 6 in the big room'],
    ['another number in a long text', LONG.replace('two', '2'), LONG.replace('two', '3')],
    ['a negation', LONG.replace('has passed', 'has not passed'), LONG],
    ['another word in a short text', 'Ada likes green tea', 'Ada likes black tea'],
    ['a part of a word', 'man', 'We saw a woman there'],
    ['more than is known', LONG, 'the nightly build has passed'],
    ['no words', '🎉', 'Party 🎉'],
  ])('%s does not', (_, text, known) => expect(repeated(text, known)).toBe(false))
})
