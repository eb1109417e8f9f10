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
        parameters: '<kind> [text…]',
        description: 'remember something',
        load: () => import('./commands/remember.ts'),
      },
      {
        name: 'index',
        parameters: '<file…>',
        description: 'index documents under their own ids; again to revise them',
        load: () => import('./commands/index.ts'),
      },
      {
        name: 'revise',
        parameters: '<id> [text…]',
        description: 'change a memory; its earlier versions stay',
        load: () => import('./commands/revise.ts'),
      },
      {
        name: 'forget',
        parameters: '<id>',
        description: 'take a memory out of the indexes; restore brings it back',
        load: () => import('./commands/forget.ts'),
      },
      {
        name: 'restore',
        parameters: '<id>',
        description: 'undo: bring back a forgotten memory, or an earlier version',
        load: () => import('./commands/restore.ts'),
      },
      {
        name: 'undo',
        description: 'take back what was done since a moment, in one context or by one agent or key',
        load: () => import('./commands/undo.ts'),
      },
      {
        name: 'erase',
        parameters: '[id]',
        description: 'remove memories for good, with all their versions',
        load: () => import('./commands/erase.ts'),
      },
      {
        name: 'todo',
        parameters: '[list|done|reopen]',
        description: 'list what is left to do; say that it is done',
        load: () => import('./commands/todo.ts'),
      },
      {
        name: 'session',
        parameters: '[list|close]',
        description: 'list the sessions that are still active; close one',
        load: () => import('./commands/session.ts'),
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
        load: () => import('./commands/search.ts'),
      },
      {
        name: 'ask',
        parameters: '<question…>',
        description: 'answer a question, or write code, from memories with a language model',
        load: () => import('./commands/ask.ts'),
      },
      {
        name: 'context',
        parameters: '<query…>',
        description: 'pack the best memories for a prompt, within a budget of tokens',
        load: () => import('./commands/context.ts'),
      },
      {
        name: 'similar',
        parameters: '[text…]',
        description: 'find what is nearest in meaning to a text, a memory or a vector',
        load: () => import('./commands/similar.ts'),
      },
      {
        name: 'recall',
        parameters: '<key>',
        description: 'find an insight by its key',
        load: () => import('./commands/recall.ts'),
      },
      {
        name: 'pop',
        parameters: '<name>',
        description: 'find a stash by its name',
        load: () => import('./commands/pop.ts'),
      },
      {
        name: 'get',
        parameters: '<id>',
        description: 'show one memory whole, or its history',
        load: () => import('./commands/get.ts'),
      },
      {
        name: 'list',
        description: 'list memories, newest first, by filters',
        load: () => import('./commands/list.ts'),
      },
      {
        name: 'history',
        parameters: '<id>',
        description: 'show what happened to a memory, and how to go back',
        load: () => import('./commands/history.ts'),
      },
      {
        name: 'diff',
        parameters: '<id> [from] [to]',
        description: 'show what differs between two versions of a memory',
        load: () => import('./commands/diff.ts'),
      },
      {
        name: 'facets',
        description: 'count labels, kinds, categories, entity types, agents and contexts',
        load: () => import('./commands/facets.ts'),
      },
      {
        name: 'growth',
        description: 'count memories and events by day, with their kinds',
        load: () => import('./commands/growth.ts'),
      },
      {
        name: 'map',
        description: 'place memories in a plane by what they mean',
        load: () => import('./commands/map.ts'),
      },
      {
        name: 'people',
        parameters: '[name…]',
        description: 'list the people you know, or find what mentions one of them',
        load: () => import('./commands/people.ts'),
      },
      {
        name: 'emotions',
        parameters: '[feeling…]',
        description: 'find memories of a feeling, or list panic attacks',
        load: () => import('./commands/emotions.ts'),
      },
      {
        name: 'interests',
        description: 'list interests and hobbies',
        load: () => import('./commands/interests.ts'),
      },
      {
        name: 'events',
        description: 'list what happened last',
        load: () => import('./commands/events.ts'),
      },
      {
        name: 'tail',
        description: 'follow what is written, live',
        load: () => import('./commands/tail.ts'),
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
        load: () => import('./commands/import.ts'),
      },
      {
        name: 'export',
        description: 'write the journal as JSON Lines, for a backup or a move; or memories as Markdown',
        load: () => import('./commands/export.ts'),
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
        load: () => import('./commands/follow.ts'),
      },
      {
        name: 'sync',
        parameters: '[status|conflicts|…]',
        description: 'how followed projects stand; pause, decide conflicts, move the home',
        load: () => import('./commands/sync.ts'),
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
        load: () => import('./commands/mcp.ts'),
      },
      {
        name: 'hook',
        parameters: '[session-start|session-end]',
        description: 'what the plugins of Claude Code and Cursor call as sessions begin and end',
        load: () => import('./commands/hook.ts'),
      },
    ],
  },
  {
    heading: 'Look after it:',
    commands: [
      {
        name: 'status',
        description: 'say whether the daemon serves, and how far its indexes are',
        load: () => import('./commands/status.ts'),
      },
      {
        name: 'doctor',
        description: 'look at every part and setting, and say what to do',
        load: () => import('./commands/doctor.ts'),
      },
      {
        name: 'verify',
        parameters: '[projection]',
        description: 'compare the indexes with the journal, and repair them',
        load: () => import('./commands/verify.ts'),
      },
      {
        name: 'reindex',
        parameters: '[projection]',
        description: 'build a new search index beside the live one; roll back, clean up',
        load: () => import('./commands/reindex.ts'),
      },
      {
        name: 'replay',
        description: 'publish a part of the journal again',
        load: () => import('./commands/replay.ts'),
      },
      {
        name: 'backfill',
        parameters: '[projection]',
        description: 'make the vectors that memories lack',
        load: () => import('./commands/backfill.ts'),
      },
      {
        name: 'language',
        parameters: '[language]',
        description: "show or change the language of a project's texts",
        load: () => import('./commands/language.ts'),
      },
      {
        name: 'projects',
        parameters: '[list|create|…]',
        description: 'list, make and rename projects; limit what they may hold and ask for',
        load: () => import('./commands/projects.ts'),
      },
      {
        name: 'keys',
        parameters: '[list|create|…]',
        description: 'list, make, rotate and revoke API keys; say how far they are trusted',
        load: () => import('./commands/keys.ts'),
      },
      {
        name: 'quarantine',
        parameters: '[list|add|release|undo]',
        description: 'withhold what a suspected writer wrote; bring it back, or undo it',
        load: () => import('./commands/quarantine.ts'),
      },
      {
        name: 'parked',
        parameters: '[list|show|retry|drop]',
        description: 'list, retry or drop events that could not be applied',
        load: () => import('./commands/parked.ts'),
      },
      {
        name: 'operations',
        parameters: '[list|show|watch|cancel]',
        description: 'list, watch or cancel operations',
        load: () => import('./commands/operations.ts'),
      },
    ],
  },
  {
    heading: 'On this machine:',
    commands: [
      {
        name: 'console',
        description: 'open the web console, logged in',
        load: () => import('./commands/console.ts'),
      },
      {
        name: 'start',
        parameters: '[service]',
        description: 'run Daybook in this terminal, or in the background',
        load: () => import('./commands/start.ts'),
      },
      {
        name: 'stop',
        description: 'stop the Daybook of the data folder',
        load: () => import('./commands/stop.ts'),
      },
      {
        name: 'service',
        parameters: '[install|uninstall|status]',
        description: 'let systemd or launchd start Daybook at every login',
        load: () => import('./commands/service.ts'),
      },
    ],
  },
]
