// The least that a push of unchanged code can be: a process that starts esbuild and builds the same code.
import path from 'node:path';
import * as esbuild from 'esbuild';

const [entry = ''] = process.argv.slice(2);
const { outputFiles } = await esbuild.build({
  absWorkingDir: path.dirname(path.dirname(entry)),
  entryPoints: [entry],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['@vendor/cloud', '@vendor/cloud/*'],
  outfile: path.join(path.dirname(entry), 'customization.cjs'),
  sourcemap: 'inline',
  sourcesContent: false,
  write: false,
  logLevel: 'silent',
});
process.stdout.write(String(outputFiles[0].contents.length));
process.exit();
