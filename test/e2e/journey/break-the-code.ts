import { strict as assert } from 'node:assert';
import { assertPushIsRefused } from './deliver.ts';
import type { ServedProject } from './served-project.ts';

/** Code that is broken in every way is refused, and the code before it keeps serving. One of them is pushed as well. */
export async function breakTheCode(project: ServedProject) {
  const good = await project.readCode();
  const broken: Record<string, string> = {
    BUILD_FAILED: good.replace('): void {', '): void { const = 1;'),
    CUSTOMIZATION_FAILED: good.replace('): void {', "): void { throw new Error('on purpose');"),
    CUSTOMIZATION_NOT_A_FUNCTION: good.replace('export default function customize', 'export function customize'),
    CUSTOMIZATION_INVALID: good.replace("customizeCollection('products'", "customizeCollection('prodcuts'"),
    CUSTOMIZATION_UNRESPONSIVE: good.replace('): void {', '): void { while (true) {}'),
    CUSTOMIZATION_EXITED: good.replace(
      '): void {',
      '): void { (globalThis as unknown as { process: { exit(): void } }).process.exit();',
    ),
  };
  const seen: Record<string, unknown> = {};
  for (const [code, text] of Object.entries(broken)) {
    await project.saveCode(text);
    const error = await project.nextError();
    assert.equal(error.code, code, JSON.stringify(error));
    assert.ok(error.nextSteps.length > 0);
    const list = await project.api('GET', '/products?fields[products]=id,shouted&page[size]=1');
    assert.equal(list.status, 200, `${code}: ${JSON.stringify(list.body)}`);
    if (code === 'CUSTOMIZATION_FAILED') await assertPushIsRefused(project, code);
    seen[code] = { line: error.location?.line, hasFrame: error.location?.frame !== undefined };
    await project.saveCode(good);
    await project.dev.next('reloaded');
  }
  return seen;
}
