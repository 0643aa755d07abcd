/** The figure has to be at most this, or at least this. */
export type Budget = { readonly atMost: number } | { readonly atLeast: number };

/** On each engine. */
const auditBudgets: Readonly<Record<string, Budget>> = {
  listP99Ms: { atMost: 25 },
  depthRatio: { atMost: 3 },
  ingestRowsPerSecond: { atLeast: 2_000 },
  verifyRowsPerSecond: { atLeast: 100_000 },
  verifyShareOfBareLoop: { atLeast: 0.6 },
  exportRowsPerSecond: { atLeast: 50_000 },
  exportRssMb: { atMost: 256 },
};

/** By bench, then by figure. A figure without a budget is there to be read. */
export const budgets: Readonly<Record<string, Readonly<Record<string, Budget>>>> = {
  archive: { archiveRowsPerSecond: { atLeast: 50_000 }, archiveRssMb: { atMost: 256 } },
  audit: Object.fromEntries(
    ['', 'postgres.'].flatMap((engine) =>
      Object.entries(auditBudgets).map(([name, budget]) => [engine + name, budget]),
    ),
  ),
  console: {
    workRatio: { atMost: 0.2 },
    bytesRatio: { atMost: 0.15 },
    firstScreenGzipKb: { atMost: 150 },
    'heap.growthMb': { atMost: 1 },
    'scaled.workMs': { atMost: 400 },
    'scaled.dialogMs': { atMost: 50 },
    'scaled.formKeyMs': { atMost: 8 },
    'scaled.collectionsMs': { atMost: 60 },
    'scaled.logRowsMs': { atMost: 100 },
    'scroll.missing': { atMost: 0 },
    'scroll.repeated': { atMost: 0 },
  },
  events: { ratio: { atMost: 2 } },
  introspection: {
    coldRatio1000: { atMost: 3 },
    coldRatio5000: { atMost: 3 },
    warmRatio1000: { atMost: 1.5 },
    rssMb1000: { atMost: 220 },
  },
  deploy: { ratio: { atMost: 1.8 }, failed: { atMost: 0 } },
  hostile: { worstRatio: { atMost: 3 }, refusedHonest: { atMost: 0 } },
  memory: {
    'serve.workersRatio': { atMost: 1.6 },
    'platform.agentsRatio': { atMost: 1.5 },
    'dev.restRatio': { atMost: 6 },
  },
  mcp: { restShare: { atLeast: 0.5 }, toolsListBytes300: { atMost: 12_000 } },
  push: { unchangedRatio: { atMost: 1.6 } },
  reload: {
    p50Ratio: { atMost: 2 },
    p95Ratio: { atMost: 2 },
    failed: { atMost: 0 },
    'large.p50Ratio': { atMost: 1.8 },
    'large.p95Ratio': { atMost: 1.8 },
    'large.rssMb': { atMost: 350 },
    'large.failed': { atMost: 0 },
  },
  replicas: { 'perCpuSecond.min': { atLeast: 0.95 }, answeredByPrimary: { atMost: 0.01 } },
  rest: {
    'share.min': { atLeast: 0.7 },
    outboxShare: { atLeast: 0.95 },
    durableShare: { atLeast: 0.95 },
    ...eachVaried(
      ['', 'sqlite.', 'mariadb.', 'mysql.'].map((engine) => `${engine}varied`),
      { atLeast: 0.95 },
    ),
    ...eachVaried(['postgraphile'], { atLeast: 2 }),
    ...eachVaried(['directus'], { atLeast: 10 }),
    'varied.p99Ratio': { atMost: 1.3 },
    'cpuRatio.get': { atMost: 1.15 },
    'cpuRatio.list': { atMost: 1.25 },
    'cpuRatio.list-relation': { atMost: 1.25 },
    'cpuRatio.list-filter': { atMost: 1.25 },
    rssRatio: { atMost: 2 },
    recordingRatio: { atMost: 0.15 },
    'fieldRules.min': { atLeast: 0.95 },
  },
  soak: { refused: { atMost: 0 }, errors: { atMost: 0 }, growthMb: { atMost: 20 } },
  startup: { versionRatio: { atMost: 1.25 }, 'commands.maxCpuRatio': { atMost: 1.25 } },
  tables: {
    coldGrowth: { atMost: 8 },
    warmGrowth: { atMost: 3 },
    rssGrowth: { atMost: 2.5 },
    listGrowth: { atMost: 1.1 },
    reloadGrowth: { atMost: 1.3 },
  },
  typings: { bytes1000: { atMost: 1_000_000 }, tscSeconds1000: { atMost: 1.5 } },
};

/** The same budget for each scenario of the varied load, below each of these names. */
function eachVaried(names: readonly string[], budget: Budget): Readonly<Record<string, Budget>> {
  const scenarios = ['get', 'list', 'list-relation', 'list-filter'];
  return Object.fromEntries(names.flatMap((name) => scenarios.map((scenario) => [`${name}.${scenario}`, budget])));
}

/** What the names of figures begin with that a quick run leaves out: it installs nothing, starts few servers, and fills small databases. */
export const notInQuickRuns: Readonly<Record<string, readonly string[]>> = {
  audit: ['postgres.'],
  introspection: ['coldRatio5000'],
  rest: ['mariadb.', 'mysql.', 'postgraphile.', 'directus.'],
};

export function isWithin(budget: Budget, value: number): boolean {
  return 'atMost' in budget ? value <= budget.atMost : value >= budget.atLeast;
}
