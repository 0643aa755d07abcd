import path from 'node:path';
import type { BuildResult } from '#flows/build/build';
import { renderSizes, sizeText } from './render-sizes.ts';
import type { Terminal } from './terminal.ts';

export function renderBuild({ files, manifest, packages }: BuildResult, { resultStyle: style }: Terminal): string {
  const { digest, sizeBytes } = manifest.code;
  const name = path.relative('', files.code);
  return [
    `${style.green('✔')} ${name} is written (${digest.slice(0, 12)}, ${sizeText(sizeBytes)} with its source map).`,
    ...renderSizes(packages),
  ].join('\n');
}
