import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { snippets } from './snippets.ts'

describe.each(TEST_DATABASES)('snippets on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  const snippet = async (wanted: string, text: string) => (await snippets(database.db, wanted, [text]))[0]!
  const plain = (html: string) => html.replaceAll(/<\/?mark>/gu, '')
  const filler = (count: number) => Array.from({ length: count }, (_, index) => `filler${index}`).join(' ')

  it('shows a short text whole, its matches marked in every form of the word', async () => {
    expect(await snippet('login', 'Logins fail; the login works.')).toBe(
      '<mark>Logins</mark> fail; the <mark>login</mark> works.',
    )
  })

  it('shows about 150 characters round the matches of a long text', async () => {
    const html = await snippet('needle haystack', `${filler(500)} the needle in the haystack ${filler(500)}`)
    expect(html).toContain('<mark>needle</mark> in the <mark>haystack</mark>')
    expect(plain(html).length).toBeGreaterThan(80)
    expect(plain(html).length).toBeLessThanOrEqual(202)
  })

  it('shows the beginning where nothing matches, or nothing can', async () => {
    for (const wanted of ['absent', 'the', '🎉'])
      expect(await snippet(wanted, `first words ${filler(100)}`)).toMatch(/^first words filler0/u)
  })

  it.each([
    ['cafe', 'Das Café am Eck', 'Das <mark>Café</mark> am Eck'],
    ['STRASSE', 'in der Straße <b>', 'in der <mark>Straße</mark> &lt;b&gt;'],
    ['京都', '東京都に行く', '東<mark>京都</mark>に行く'],
    ['東京都', '昨日東京都に行く', '昨日<mark>東京都</mark>に行く'],
    ['テスト', '単体ﾃｽﾄの', '単体<mark>ﾃｽﾄ</mark>の'],
    [
      '한국',
      '나는 한국에'.normalize('NFD'),
      `${'나는 '.normalize('NFD')}<mark>${'한국'.normalize('NFD')}</mark>${'에'.normalize('NFD')}`,
    ],
    ['abc123', '型番ＡＢＣ１２３', '型番<mark>ＡＢＣ１２３</mark>'],
    ['cafe', 'le cafe\u0301 noir', 'le <mark>cafe\u0301</mark> noir'],
    ['محمد', 'قال مُحَمَّدٌ لنا', 'قال <mark>مُحَمَّدٌ</mark> لنا'],
    ['👩', 'with 👩‍💻 now', 'with <mark>👩‍💻</mark> now'],
    ['🎉', 'a party 🎉🎉 ended', 'a party <mark>🎉</mark><mark>🎉</mark> ended'],
  ])('marks %j in %j as it is written', async (wanted, text, marked) => {
    expect(await snippet(wanted, text)).toBe(marked)
  })

  it('escapes what is in the text and keeps its tags readable', async () => {
    expect(await snippet('login', 'the <b>login</b> & "it" <script>alert(1)</script>')).toBe(
      'the &lt;b&gt;<mark>login</mark>&lt;/b&gt; &amp; "it" &lt;script&gt;alert(1)&lt;/script&gt;',
    )
    expect(await snippet('login', 'a&lt;b <!-- login --> <?xml login?> x<y')).toBe(
      'a&amp;lt;b &lt;!-- <mark>login</mark> --&gt; &lt;?xml <mark>login</mark>?&gt; x&lt;y',
    )
  })

  it('leaves angle quotes as they are', async () => {
    expect(await snippet('login', 'le ‹ login › dit')).toBe('le ‹ <mark>login</mark> › dit')
  })

  it('of a 64 KB text that the parser would take minutes for are there at once, and lose nothing', async () => {
    const path = `${'snake_case/'.repeat(6_000)} login`
    expect(await snippet('login', path)).toContain('<mark>login</mark>')
    expect(await snippet('absent', path)).toMatch(/^(?:snake_case\/){5}/u)
  })

  it('shows marks of its own only', async () => {
    expect(await snippet('login', '\uE000fake\uE001 <mark>fake</mark> login')).toBe(
      'fake &lt;mark&gt;fake&lt;/mark&gt; <mark>login</mark>',
    )
  })

  it('cuts very long words and emoji without leaving halves', async () => {
    const emoji = await snippet('login', `login ${'🎉'.repeat(400)}`)
    // Each emoji is a word, so the passage ends between two of them.
    expect(emoji).toMatch(/^<mark>login<\/mark> (🎉)+$/u)
    const word = await snippet('absent', 'x'.repeat(5_000))
    expect(word.length).toBeLessThanOrEqual(202)
  })

  const WHOLE = [
    '👍🏽',
    '👩‍👩‍👧‍👦',
    '🏳️‍🌈',
    '🇩🇪',
    '1️⃣',
    '❤️',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'e\u0301',
    'x\u0323\u0302',
    '𝒳',
    'क्षि',
    'กำ้',
    '각'.normalize('NFD'),
  ]

  it.each(WHOLE)('shows %s whole at the end and the beginning of a text', async (sign) => {
    for (const text of [
      `login ${sign}`,
      `the login is done${sign}`,
      `${sign} login`,
      `${sign}login`,
      `login ${sign}\n`,
      `login ${sign}!`,
    ])
      expect(plain(await snippet('login', text)), text).toBe(text.trim())
    expect(plain(await snippet('login', `${filler(100)} login ${sign}`))).toMatch(
      new RegExp(`login ${sign}$`, 'u'),
    )
    expect(plain(await snippet(sign, `done ${sign}`))).toBe(`done ${sign}`)
  })

  it.each(WHOLE)('never shows a part of %s', async (sign) => {
    const signs = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
    for (const joint of ['', ' ', ', '])
      for (let lead = 0; lead < 8; lead++) {
        const text = `${'x'.repeat(lead)} ${`${sign}${joint}`.repeat(60)}login${`${joint}${sign}`.repeat(60)}`
        for (const wanted of ['login', sign, 'absent'])
          for (const shown of signs(plain(await snippet(wanted, text)).replaceAll('…', ' ')))
            expect([sign, ...'xlogin, '], `${wanted}: ${text}`).toContain(shown)
      }
  })

  it('takes words that are hard to quote', async () => {
    for (const wanted of ["o'brien", 'back\\slash', "'", '\\', "a'b\\c", '| & ! ( ) : * <->'])
      expect(await snippet(wanted, "o'brien's back\\slash is here")).toContain('is here')
    expect(await snippet("o'brien", "it is O'Brien")).toContain('<mark>')
  })

  it('gives one for each text, in their order', async () => {
    expect(await snippets(database.db, 'b', ['a', 'b', 'c'])).toEqual(['a', '<mark>b</mark>', 'c'])
    expect(await snippets(database.db, 'b', [])).toEqual([])
  })

  it('is well-formed and short, whatever the text', async () => {
    const part = fc.constantFrom(
      'login',
      '<b>',
      '</b>',
      '<',
      '>',
      '&',
      '&amp;',
      '🎉',
      '\uE000',
      '\uE001',
      '\u0001',
      ' ',
      '\n',
      'e\u0301',
      'x'.repeat(300),
      'https://a.b/c?d=<e>',
      '"',
      '‹',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 60 }), async (parts) => {
        const html = await snippet('login b', parts.join(''))
        expect(html.isWellFormed()).toBe(true)
        expect(html.replaceAll(/<mark>[^<>]*<\/mark>/gu, '')).not.toMatch(/[<>]/u)
        expect(html.replaceAll(/&(amp|lt|gt);/gu, '')).not.toContain('&')
        for (const mark of ['\uE000', '\uE001', '\u0001']) expect(html).not.toContain(mark)
        expect(plain(html).replaceAll(/&(amp|lt|gt);/gu, '.').length).toBeLessThanOrEqual(202)
      }),
      { numRuns: 200 },
    )
  })
})
