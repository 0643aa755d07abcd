export type { Bundle } from './bundle.ts';
export { recallBundle, rememberBundle } from './bundle-memory.ts';
export { type Bundler, bundleOnce, createBundler } from './bundler.ts';
export { addDataSource, addSettings, type SettingsByDataSource, setServerUrl } from './change-config.ts';
export { codeFrame } from './code-frame.ts';
export { readEnvFile } from './env-file.ts';
export { readJson } from './json-file.ts';
export { findLiteralPasswords, type LiteralPassword } from './literal-passwords.ts';
export type { OutsideModule, OutsideModules } from './outside-modules.ts';
export type { PackageSize } from './package-sizes.ts';
export { absoluteSqliteUri, openProject, type Project, resolveDataSources, sqliteUriInProject } from './project.ts';
export {
  findProjectRoot,
  linkVariables,
  type ProjectFiles,
  readProjectFiles,
  readProjectLink,
  writeProjectLink,
} from './project-files.ts';
export { readConfig } from './read-config.ts';
export { readPermissions } from './read-permissions.ts';
export { seedShop } from './sample-data/seed-shop.ts';
export { createSeededRandom, type SeededRandom } from './sample-data/seeded-random.ts';
export { linkPackage, type ScaffoldInput, scaffoldProject } from './scaffold.ts';
export { findCompiler, readTypeErrors, type TypeProblem } from './type-errors.ts';
export { type PollingReason, pollingMs, reportsChanges, type WatchListeners, watchFiles } from './watcher.ts';
export { refuseLinks, writeGenerated } from './write-generated.ts';
