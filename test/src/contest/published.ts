/** A figure that somebody published of a system that does not run here. */
export interface Published {
  readonly system: string
  readonly collection: string
  readonly figure: string
  /** What a hit or a point is, in that figure. */
  readonly counted: string
  readonly source: string
}

const JUDGED = 'answers of a language model, judged by another: what it found is not counted'

/** Looked up on 28 November 2026. Not comparable with the tables of a run, nor with each other where another thing was counted. */
export const PUBLISHED: readonly Published[] = [
  {
    system: 'Basic Memory 0.18.5, local',
    collection: 'LoCoMo, 1,982 questions, adversarial ones too',
    figure: 'recall@5 .764, recall@10 .855, MRR .658',
    counted: 'whole sessions: a Markdown document is one',
    source: 'https://github.com/basicmachines-co/basic-memory-benchmarks/issues/10',
  },
  {
    system: 'MemPalace, raw',
    collection: 'LongMemEval, 500 questions',
    figure: 'recall@5 .966',
    counted: 'whole sessions, any one of them',
    source: 'https://github.com/MemPalace/mempalace/blob/develop/benchmarks/BENCHMARKS.md',
  },
  {
    system: 'ai-memory 0.5.4, FTS5',
    collection: 'LongMemEval, 500 questions',
    figure: 'recall@5 .970, recall@10 .982',
    counted: 'whole sessions',
    source: 'https://docs.rs/crate/ai-memory/0.5.4-patch.6/source/benchmarks/longmemeval/README.md',
  },
  {
    system: 'Mem0, with graph Mem0ᵍ',
    collection: 'LoCoMo',
    figure: '.669, .684',
    counted: JUDGED,
    source: 'https://arxiv.org/abs/2504.19413',
  },
  {
    system: 'Zep, LangMem, OpenAI’s memory',
    collection: 'LoCoMo',
    figure: '.660, .581, .529',
    counted: `${JUDGED}; measured by Mem0`,
    source: 'https://arxiv.org/abs/2504.19413',
  },
  {
    system: 'Letta, files and its own search, GPT-4o mini',
    collection: 'LoCoMo',
    figure: '.740',
    counted: `${JUDGED}; the agent searches as often as it likes`,
    source: 'https://www.letta.com/blog/benchmarking-ai-agent-memory',
  },
  {
    system: 'Hindsight',
    collection: 'LoCoMo; LongMemEval',
    figure: '.896; .914',
    counted: JUDGED,
    source: 'https://arxiv.org/abs/2512.12818',
  },
]
