import type { CommandEntry } from './command.ts'

/** Commands that belong together, under a heading of the help. */
interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandEntry[]
}

/** Every command, in the order of the help. A new one is a file in `commands/` and an entry here. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    heading: 'Remember:',
    commands: [
      {
        name: 'remember',
        parameters: '[kind] [text…]',
        description: 'remember something',
        load: async () => (await import('./commands/remember.ts')).configureRemember,
      },
      {
        name: 'index',
        parameters: '<file…>',
        description: 'index documents under their own ids; again to revise them',
        load: async () => (await import('./commands/index.ts')).configureIndex,
      },
      {
        name: 'revise',
        parameters: '<id> [text…]',
        description: 'change a memory; its earlier versions stay',
        load: async () => (await import('./commands/revise.ts')).configureRevise,
      },
      {
        name: 'forget',
        parameters: '<id>',
        description: 'take a memory out of the indexes; restore brings it back',
        load: async () => (await import('./commands/restore.ts')).configureForget,
      },
      {
        name: 'restore',
        parameters: '<id>',
        description: 'undo: bring back a forgotten memory, or an earlier version',
        load: async () => (await import('./commands/restore.ts')).configureRestore,
      },
      {
        name: 'undo',
        description: 'take back what was done since a moment, in one context or by one agent or key',
        load: async () => (await import('./commands/undo.ts')).configureUndo,
      },
      {
        name: 'erase',
        parameters: '[id]',
        description: 'remove memories for good, with all their versions',
        load: async () => (await import('./commands/erase.ts')).configureErase,
      },
      {
        name: 'todo',
        parameters: '[list|done|reopen]',
        description: 'list what is left to do; say that it is done',
        load: async () => (await import('./commands/todo.ts')).configureTodo,
      },
      {
        name: 'session',
        parameters: '[list|close]',
        description: 'list the sessions that are still active; close one',
        load: async () => (await import('./commands/todo.ts')).configureSession,
      },
    ],
  },
  {
    heading: 'Find:',
    commands: [
      {
        name: 'search',
        parameters: '<query…>',
        description: 'find memories by words and by meaning',
        load: async () => (await import('./commands/search.ts')).configureSearch,
      },
      {
        name: 'ask',
        parameters: '<question…>',
        description: 'answer a question, or write code, from memories with a language model',
        load: async () => (await import('./commands/ask.ts')).configureAsk,
      },
      {
        name: 'context',
        parameters: '<query…>',
        description: 'pack the best memories for a prompt, within a budget of tokens',
        load: async () => (await import('./commands/context.ts')).configureContext,
      },
      {
        name: 'similar',
        parameters: '[text…]',
        description: 'find what is nearest in meaning to a text, a memory or a vector',
        load: async () => (await import('./commands/search.ts')).configureSimilar,
      },
      {
        name: 'recall',
        parameters: '<key>',
        description: 'find an insight by its key',
        load: async () => (await import('./commands/people.ts')).configureRecall,
      },
      {
        name: 'pop',
        parameters: '<name>',
        description: 'find a stash by its name',
        load: async () => (await import('./commands/people.ts')).configurePop,
      },
      {
        name: 'get',
        parameters: '<id>',
        description: 'show one memory whole, or its history',
        load: async () => (await import('./commands/get.ts')).configureGet,
      },
      {
        name: 'list',
        description: 'list memories, newest first, by filters',
        load: async () => (await import('./commands/list.ts')).configureList,
      },
      {
        name: 'history',
        parameters: '<id>',
        description: 'show what happened to a memory, and how to go back',
        load: async () => (await import('./commands/get.ts')).configureHistory,
      },
      {
        name: 'diff',
        parameters: '<id> [from] [to]',
        description: 'show what differs between two versions of a memory',
        load: async () => (await import('./commands/diff.ts')).configureDiff,
      },
      {
        name: 'facets',
        description: 'count labels, kinds, categories, entity types, agents and contexts',
        load: async () => (await import('./commands/facets.ts')).configureFacets,
      },
      {
        name: 'growth',
        description: 'count memories and events by day, with their kinds',
        load: async () => (await import('./commands/facets.ts')).configureGrowth,
      },
      {
        name: 'map',
        description: 'place memories in a plane by what they mean',
        load: async () => (await import('./commands/map.ts')).configureMap,
      },
      {
        name: 'people',
        parameters: '[name…]',
        description: 'list the people you know, or find what mentions one of them',
        load: async () => (await import('./commands/people.ts')).configurePeople,
      },
      {
        name: 'emotions',
        parameters: '[feeling…]',
        description: 'find memories of a feeling, or list panic attacks',
        load: async () => (await import('./commands/people.ts')).configureEmotions,
      },
      {
        name: 'interests',
        description: 'list interests and hobbies',
        load: async () => (await import('./commands/people.ts')).configureInterests,
      },
      {
        name: 'events',
        description: 'list what happened last',
        load: async () => (await import('./commands/people.ts')).configureEvents,
      },
      {
        name: 'tail',
        description: 'follow what is written, live',
        load: async () => (await import('./commands/tail.ts')).configureTail,
      },
    ],
  },
  {
    heading: 'Move:',
    commands: [
      {
        name: 'import',
        parameters: '<path>',
        description: 'import JSON Lines, an exported journal, or what other programs wrote; resumable',
        load: async () => (await import('./commands/import.ts')).configureImport,
      },
      {
        name: 'export',
        description: 'write the journal as JSON Lines, for a backup or a move; or memories as Markdown',
        load: async () => (await import('./commands/export.ts')).configureExport,
      },
    ],
  },
  {
    heading: 'Sync:',
    commands: [
      {
        name: 'follow',
        parameters: '<url>',
        description: 'copy a project of another Daybook and stay up to date, also to work offline',
        load: async () => (await import('./commands/follow.ts')).configureFollow,
      },
      {
        name: 'sync',
        parameters: '[status|conflicts|…]',
        description: 'how followed projects stand; pause, decide conflicts, move the home',
        load: async () => (await import('./commands/sync.ts')).configureSync,
      },
    ],
  },
  {
    heading: 'Connect:',
    commands: [
      {
        name: 'mcp',
        parameters: '[install|uninstall|clients]',
        description: 'serve agents over stdio; add Daybook to programs such as Claude Code and Cursor',
        load: async () => (await import('./commands/mcp.ts')).configureMcp,
      },
      {
        name: 'hook',
        parameters: '[event]',
        description: 'what the plugins of Claude Code and Cursor call as sessions begin, go on and end',
        load: async () => (await import('./commands/hook.ts')).configureHook,
      },
    ],
  },
  {
    heading: 'Look after it:',
    commands: [
      {
        name: 'status',
        description: 'say whether the daemon serves, and how far its indexes are',
        load: async () => (await import('./commands/status.ts')).configureStatus,
      },
      {
        name: 'doctor',
        description: 'look at every part and setting, and say what to do',
        load: async () => (await import('./commands/doctor.ts')).configureDoctor,
      },
      {
        name: 'review',
        parameters: '[list|settle]',
        description: 'list memories that seem to contradict or repeat each other, and settle them',
        load: async () => (await import('./commands/review.ts')).configureReview,
      },
      {
        name: 'verify',
        parameters: '[projection]',
        description: 'compare the indexes with the journal, and repair them',
        load: async () => (await import('./commands/verify.ts')).configureVerify,
      },
      {
        name: 'reindex',
        parameters: '[projection]',
        description: 'build a new search index beside the live one; roll back, clean up',
        load: async () => (await import('./commands/reindex.ts')).configureReindex,
      },
      {
        name: 'replay',
        description: 'publish a part of the journal again',
        load: async () => (await import('./commands/replay.ts')).configureReplay,
      },
      {
        name: 'backfill',
        parameters: '[projection]',
        description: 'make the vectors that memories lack',
        load: async () => (await import('./commands/backfill.ts')).configureBackfill,
      },
      {
        name: 'language',
        parameters: '[language]',
        description: "show or change the language of a project's texts",
        load: async () => (await import('./commands/language.ts')).configureLanguage,
      },
      {
        name: 'projects',
        parameters: '[list|create|…]',
        description: 'list, make and rename projects; limit what they may hold and ask for',
        load: async () => (await import('./commands/projects.ts')).configureProjects,
      },
      {
        name: 'keys',
        parameters: '[list|create|…]',
        description: 'list, make, rotate and revoke API keys; say how far they are trusted',
        load: async () => (await import('./commands/keys.ts')).configureKeys,
      },
      {
        name: 'quarantine',
        parameters: '[list|add|release|undo]',
        description: 'withhold what a suspected writer wrote; bring it back, or undo it',
        load: async () => (await import('./commands/quarantine.ts')).configureQuarantine,
      },
      {
        name: 'parked',
        parameters: '[list|show|retry|drop]',
        description: 'list, retry or drop events that could not be applied',
        load: async () => (await import('./commands/parked.ts')).configureParked,
      },
      {
        name: 'operations',
        parameters: '[list|show|watch|cancel]',
        description: 'list, watch or cancel operations',
        load: async () => (await import('./commands/operations.ts')).configureOperations,
      },
    ],
  },
  {
    heading: 'On this machine:',
    commands: [
      {
        name: 'console',
        description: 'open the web console, logged in',
        load: async () => (await import('./commands/console.ts')).configureConsole,
      },
      {
        name: 'start',
        parameters: '[service]',
        description: 'run Daybook in this terminal, or in the background',
        load: async () => (await import('./commands/start.ts')).configureStart,
      },
      {
        name: 'stop',
        description: 'stop the Daybook of the data folder',
        load: async () => (await import('./commands/start.ts')).configureStop,
      },
      {
        name: 'service',
        parameters: '[command]',
        description: 'let systemd, launchd or Windows start Daybook at every login',
        load: async () => (await import('./commands/service.ts')).configureService,
      },
      {
        name: 'completion',
        parameters: '<shell>',
        description: 'print the script with which bash, zsh or fish completes commands and options',
        load: async () => (await import('./commands/completion.ts')).configureCompletion,
      },
    ],
  },
]
