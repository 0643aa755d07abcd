import path from 'node:path';
import { cloudError } from '#kernel/errors/cloud-error';
import type { OutsideModule, OutsideModules } from '#project/index';
import type { FlowContext } from '../flow-context.ts';

/** Warn of what a host may lack. Throws `BUILD_MODULE_MISSING` for what no host has. */
export function tellOutsideModules(
  { reporter }: FlowContext,
  root: string,
  { missing, doubtful }: OutsideModules,
): void {
  for (const module of doubtful) reporter.warn(`${placeOf(module)}: ${module.message}`, module.nextStep);
  const [first, ...others] = missing;
  if (!first) return;
  const more = others.length > 0 ? ` (and ${others.length} more: ${others.map(placeOf).join(', ')})` : '';
  const { file, line, column } = first;
  throw cloudError('BUILD_MODULE_MISSING', `${first.message}${more}`, first.nextStep, {
    ...(line === undefined
      ? { safeDetails: { file } }
      : { location: { file: path.resolve(root, file), line, ...(column === undefined ? {} : { column }) } }),
  });
}

function placeOf({ file, line, column }: OutsideModule): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}
