import { parseArgs } from 'node:util'
import { RANKING_TERMS, type RankingTerm } from '@daybook/search/ranking/ablation'
import { ENGINES, type Method, MODES, methods, RANKINGS } from './method.ts'
import { MEASURES, type Measure } from './report/report.ts'

/** The options of the command. */
export interface Options {
  readonly data: string
  readonly split: string | undefined
  readonly methods: readonly Method[]
  readonly together: boolean
  /** The most questions to ask. */
  readonly limit: number | undefined
  readonly out: string | undefined
  readonly compare: string | undefined
  readonly gates: readonly Gate[]
  readonly json: boolean
  readonly jsonl: boolean
  readonly keep: string | undefined
  readonly amongOthers: boolean
  /** `others`: the other groups' questions; else the path of another collection. */
  readonly unanswerable: string | undefined
  readonly peers: readonly string[]
}

/** The least value of a measure that every method must reach over all questions. */
export interface Gate {
  readonly measure: Measure
  readonly least: number
}

/** A wrong option; the message says what is allowed. */
export class WrongOption extends Error {}

/** The text of `--help`. */
export const HELP = `npm run eval -- <folder or file> [options]

Asks the questions of a collection and measures how well the answers are found: recall, nDCG@10, MRR, latency.

  --data <path>         the folder or file, what to ask: a folder in our own format (memories.jsonl, questions.jsonl), such as
                        test/src/eval/bundled; LoCoMo (conv-26.json …, one such file, or locomo10.json);
                        or BEIR (corpus.jsonl, queries.jsonl, qrels/)
  --split <name>        BEIR's judgements, qrels/<name>.tsv                          default test
  --mode <modes>        HYBRID, KEYWORD, SEMANTIC                                    default the API's, HYBRID
  --engine <engines>    AUTO, POSTGRES, TYPESENSE                                    default the API's, AUTO
  --ranking <rankings>  DEFAULT, RRF                                                 default the API's, DEFAULT
                        several, separated by commas, are asked one after another and shown side by side
  --without <terms>     also asks with a term of the ranking left out, each by itself; a+b leaves out both, each
                        names them all: ${RANKING_TERMS.join(', ')}
  --unanswerable <from> also asks questions that nothing answers, and tells what a floor under the scores would
                        cut: "others" are those of the other conversations, else the path of another collection
  --peers <peers>       asks other memory servers instead, side by side: daybook, daybook-native,
                        daybook-mcp, pgvector, or the path of a description (test/src/eval/peers/README.md)
  --together            everything in one project; else each conversation is one of its own
  --limit <n>           at most n questions, taken evenly from all
  --out <folder>        writes report.json and report.html there
  --compare <file>      an earlier report.json: shows what rose and fell, and which evidence was lost
  --fail-below <gates>  such as recall@10=0.77,MRR=0.5: exits with 1 where a method is below over all questions
                        of ${MEASURES.join(', ')}
  --json                prints the report as JSON instead of tables
  --jsonl               only prints the memories as lines for "daybook import"
  --keep <folder>       keeps the daemon's data in there, and uses it again while memories and sources are the same
  --among-others        lets memories be added to a project that holds others

Without DAYBOOK_URL a daemon of its own is started on embedded parts; DAYBOOK_EMBEDDER, DATABASE_URL, TYPESENSE_URL and
TYPESENSE_API_KEY are handed on to it. With DAYBOOK_URL and DAYBOOK_API_KEY that Daybook is asked: the memories are added to the key's project, and stay.
`

/** Reads the options. @returns null if help was asked for @throws WrongOption */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args)
  if (values.help) return null
  const data = values.data ?? values.positional
  if (data === undefined) throw new WrongOption('the path of a collection is missing: say what to ask')
  const alone = (['mode', 'engine', 'ranking', 'without', 'unanswerable', 'keep'] as const).find(
    (name) => values.peers !== undefined && values[name] !== undefined,
  )
  if (alone !== undefined) throw new WrongOption(`--${alone} cannot be combined with --peers`)
  return {
    data,
    split: values.split,
    methods: methods({
      modes: someOf('--mode', MODES, values.mode),
      engines: someOf('--engine', ENGINES, values.engine),
      rankings: someOf('--ranking', RANKINGS, values.ranking),
      without: leftOut(values.without),
    }),
    together: values.together,
    limit: values.limit === undefined ? undefined : wholeNumber('--limit', values.limit),
    out: values.out,
    compare: values.compare,
    gates: listed(values['fail-below']).map(toGate),
    json: values.json,
    jsonl: values.jsonl,
    keep: values.keep,
    amongOthers: values['among-others'],
    unanswerable: values.unanswerable,
    peers: listed(values.peers).map((peer) => peer.trim()),
  }
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        data: { type: 'string' },
        split: { type: 'string' },
        mode: { type: 'string' },
        engine: { type: 'string' },
        ranking: { type: 'string' },
        together: { type: 'boolean', default: false },
        limit: { type: 'string' },
        out: { type: 'string' },
        compare: { type: 'string' },
        'fail-below': { type: 'string' },
        json: { type: 'boolean', default: false },
        jsonl: { type: 'boolean', default: false },
        keep: { type: 'string' },
        without: { type: 'string' },
        unanswerable: { type: 'string' },
        peers: { type: 'string' },
        'among-others': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (positionals.length > (values.data === undefined ? 1 : 0))
      throw new Error(`one collection at a time, not also ${positionals.at(-1)}`)
    return { ...values, positional: positionals[0] }
  } catch (error) {
    throw new WrongOption(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

const listed = (text: string | undefined) => (text ?? '').split(',').filter((part) => part.trim() !== '')

function someOf<const Word extends string>(
  option: string,
  known: readonly Word[],
  text: string | undefined,
): Word[] {
  return listed(text).map((part) => {
    const word = known.find((one) => one === part.trim().toUpperCase())
    if (word === undefined)
      throw new WrongOption(`${option} takes ${known.join(', ')}, separated by commas; not "${part.trim()}"`)
    return word
  })
}

/** `speaker,session+neighbours` → two ablations; `each` → one for every term. */
function leftOut(text: string | undefined): RankingTerm[][] {
  return listed(text).flatMap((part) => {
    if (part.trim().toLowerCase() === 'each') return RANKING_TERMS.map((term) => [term])
    return [
      part.split('+').map((name) => {
        const term = RANKING_TERMS.find((one) => one.toLowerCase() === name.trim().toLowerCase())
        if (term === undefined)
          throw new WrongOption(`--without takes ${RANKING_TERMS.join(', ')}, or each; not "${name.trim()}"`)
        return term
      }),
    ]
  })
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1) return number
  throw new WrongOption(`${option} must be a whole number from 1 on, not "${text}"`)
}

function toGate(text: string): Gate {
  const [name = '', least = ''] = text.split('=')
  const measure = MEASURES.find((one) => one.toLowerCase() === name.trim().toLowerCase())
  const value = Number(least)
  if (measure === undefined || least.trim() === '' || !(value >= 0 && value <= 1))
    throw new WrongOption(
      `--fail-below takes a measure and a number from 0 to 1, such as recall@10=0.77; not "${text}"`,
    )
  return { measure, least: value }
}
