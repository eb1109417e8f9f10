/** The arrows of the architecture, checked by `npm run arch`. */
module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one concept or three.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'libs-do-not-know-services',
      comment: 'Arrows go from services to libs.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^services/' },
    },
    {
      name: 'services-do-not-know-each-other',
      comment:
        'What two services share belongs in a lib. The daemon alone is all of them in one process; tests may start another.',
      severity: 'error',
      from: { path: '^services/([^/]+)/', pathNot: '^services/daemon/|\\.test\\.ts$|/testing/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'nobody-needs-test',
      severity: 'error',
      from: { path: '^(libs|services)/' },
      to: { path: '^test/', pathNot: '^test/typesense-double/' },
    },
    {
      name: 'memory-is-pure',
      comment: 'The domain imports nothing of ours and does no I/O.',
      severity: 'error',
      from: { path: '^libs/memory/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(libs/(?!memory/)|(node:)?(fs|net|http|https|child_process|worker_threads|dgram|tls|os|process)(/|$)|node_modules/(pg|kysely)/)',
      },
    },
    {
      name: 'memory-is-pure-in-runtime-too',
      comment: 'libs/platform is for processes; the domain does not log or read settings.',
      severity: 'error',
      from: { path: '^libs/memory/' },
      to: { path: '^libs/platform/' },
    },
    {
      name: 'platform-is-the-ground-floor',
      comment: 'What every process needs, whatever it does; `libs/process` puts one together.',
      severity: 'error',
      from: { path: '^libs/platform/' },
      to: { path: '^(libs/(?!platform/|memory/)|services/)' },
    },
    {
      name: 'engines-do-not-know-search',
      comment: 'Search asks engines through `libs/projection/src/engine/search-engine.ts`.',
      severity: 'error',
      from: { path: '^libs/engines/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { path: '^libs/search/' },
    },
    {
      name: 'search-is-separate-from-writing',
      comment: 'Finding reads the read model; only the projector writes it.',
      severity: 'error',
      from: { path: '^libs/(search|engines/[^/]+/src/search)/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { path: '^libs/(journal|transport)/' },
    },
    {
      name: 'ranking-is-pure',
      comment: 'Candidates in, explained hits out.',
      severity: 'error',
      from: { path: '^libs/search/src/(ranking|query)/', pathNot: '\\.test\\.ts$' },
      // Days are read alike in texts and in questions.
      to: { pathNot: '^libs/(?:search/src/(?:ranking|query)/|memory/src/day-words\\.ts$)' },
    },
    {
      name: 'the-kernel-is-pure',
      comment: 'Numbers in, numbers out, so that a worker thread could run it.',
      severity: 'error',
      from: { path: '^libs/search/src/late-interaction/kernel/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^libs/search/src/late-interaction/kernel/' },
    },
    {
      name: 'the-gateway-writes-no-sql',
      comment:
        'Queries are made in libs, through a ProjectScope, so that none can be written without its project.',
      severity: 'error',
      from: { path: '^services/gateway/', pathNot: '\\.test\\.ts$' },
      to: { path: 'node_modules/(kysely|pg)/' },
    },
    {
      name: 'tests-stay-out-of-the-product',
      severity: 'error',
      from: {
        path: '^(libs|services)/',
        pathNot: '(\\.test\\.ts|\\.contract\\.ts|/testing/.*)$|^libs/engines/in-memory/',
      },
      to: {
        path: '(\\.test\\.ts|/testing/|^libs/engines/in-memory/|^test/|node_modules/(vitest|fast-check)/)',
      },
    },
    {
      name: 'declared-dependencies-only',
      comment: 'What a package imports stands in its package.json.',
      severity: 'error',
      from: { path: '^(libs|services)/', pathNot: '\\.(test|contract)\\.ts$|/testing/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/dist/|\\.d\\.ts$)' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
}
