import { describe, expect, it } from 'vitest';
import { registered, registrationLines } from '#flows/generate/register-in-index';

const registration = { name: 'addLabel', module: './orders/label.js', isPlugin: false };

describe('registered', () => {
  it('imports the function behind the other imports, and calls it first', () => {
    const entry = `import type { Agent } from '@vendor/cloud';
import type { Schema } from '../typings.js';

export default function customize(agent: Agent<Schema>): void {
  agent.removeCollection('carts');
}
`;
    expect(registered(entry, registration)).toBe(`import type { Agent } from '@vendor/cloud';
import type { Schema } from '../typings.js';
import { addLabel } from './orders/label.js';

export default function customize(agent: Agent<Schema>): void {
  addLabel(agent);
  agent.removeCollection('carts');
}
`);
  });

  it('keeps the line ends of Windows', () => {
    const entry = "import { a } from './a.js';\r\n\r\nexport default function (agent) {\r\n  a(agent);\r\n}\r\n";
    expect(registered(entry, registration)).toBe(
      "import { a } from './a.js';\r\nimport { addLabel } from './orders/label.js';\r\n\r\n" +
        'export default function (agent) {\r\n  addLabel(agent);\r\n  a(agent);\r\n}\r\n',
    );
  });

  it('takes the underscore from a parameter that was unused, and from no other', () => {
    const unused = 'export default async function (_agent) {\n  // Begin here.\n}\n';
    expect(registered(unused, { ...registration, isPlugin: true })).toBe(`import { addLabel } from './orders/label.js';

export default async function (agent) {
  agent.use(addLabel);
  // Begin here.
}
`);
    expect(registered('export default function (_a) {\n  _a.use(x);\n}', registration)).toContain('addLabel(_a);');
  });

  it('does not touch an entry that it does not understand; its user gets the lines', () => {
    expect(registered('export default (agent) => agent;', registration)).toBeUndefined();
    expect(registrationLines(registration)).toEqual([
      "import { addLabel } from './orders/label.js';",
      'addLabel(agent);',
    ]);
  });

  it('calls the function by another name where the entry has one of that name', () => {
    const entry = 'export default function (agent) {\n  addLabel2(addLabel);\n}\n';
    expect(registered(entry, registration)).toContain("import { addLabel as addLabel3 } from './orders/label.js';");
    expect(registered(entry, registration)).toContain('{\n  addLabel3(agent);');
    const plugin = registered(entry, { name: 'agent', module: './plugins/agent.js', isPlugin: true });
    expect(plugin).toContain("import { agent as agentPlugin } from './plugins/agent.js';");
    expect(plugin).toContain('agent.use(agentPlugin);');
  });
});
