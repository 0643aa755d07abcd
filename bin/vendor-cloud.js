#!/usr/bin/env node
// Plain syntax on purpose: this file has to run on the Node.js versions it refuses.
const needed = [22, 22, 2];
const found = process.versions.node.split('.').map(Number);
const difference = needed.map((part, index) => found[index] - part).find((part) => part !== 0);

const bun = process.versions.bun;

if (difference < 0 || bun) {
  const json = process.argv.includes('--json');
  const words = process.argv.slice(2).join(' ');
  const message = bun
    ? `vendor-cloud needs Node.js, and this is bun ${bun}.`
    : `vendor-cloud needs Node.js ${needed.join('.')} or newer and this is ${process.versions.node}.`;
  const step = bun
    ? `Run it without --bun: bunx vendor-cloud ${words}`
    : `Run it with a newer one: npx -p node@24 -c "vendor-cloud ${words}"`;
  const report = {
    error: { code: 'MACHINE_UNSUPPORTED_NODE', kind: 'environment', recover: 'change-env', message, nextSteps: [step] },
  };
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else process.stderr.write(`${message} ${step}\n`);
  process.exitCode = 7;
} else {
  // Later runs load what this one compiles. It lies beside the code, so only who could change the code can change it, and an
  // upgrade removes it. Node.js goes on without it where nothing can be written there.
  const { enableCompileCache } = await import('node:module');
  const { fileURLToPath } = await import('node:url');
  enableCompileCache(fileURLToPath(new URL('../.compile-cache', import.meta.url)));
  const { findOwnModules } = await import('../dist/cli/own-modules.js');
  findOwnModules();
  const { main } = await import('../dist/cli/main.js');
  await main();
}
