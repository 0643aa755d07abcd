export { addSettings, type SettingsByDataSource } from './add-settings.ts';
export { type Bundle, type Bundler, createBundler } from './bundler.ts';
export { codeFrame } from './code-frame.ts';
export type { PackageSize } from './package-sizes.ts';
export { openProject, type Project, resolveDataSources } from './project.ts';
export { readPermissions } from './read-permissions.ts';
export { seedShop } from './sample-data/seed-shop.ts';
export { type ScaffoldInput, scaffoldProject } from './scaffold.ts';
export { type WatchListeners, watchFiles } from './watcher.ts';
