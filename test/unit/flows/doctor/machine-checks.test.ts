import { describe, expect, it } from 'vitest';
import type { DevSession } from '#contracts/dev-session';
import { checkMachine } from '#flows/doctor/machine-checks';
import { flowContext } from '../../../helpers/flow-context.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

type Servers = NonNullable<DevSession['servers']>;

const sandboxAlone: Servers = { sandboxUrl: 'http://127.0.0.1:3310', platformToken: 'token' };
const dev: Servers = {
  ...sandboxAlone,
  agentUrl: 'http://127.0.0.1:3351/service',
  mcpUrl: 'http://127.0.0.1:3931/mcp',
};

/** What `doctor` says of the ports while the busy ones belong to "node (pid 7)". */
async function checkedPorts(busy: readonly number[], session?: Servers) {
  const context = flowContext(await temporaryFolder());
  const machine = {
    ...context.machine,
    isPortFree: async (port: number) => !busy.includes(port),
    portOwner: async () => 'node (pid 7)',
  };
  const checks = await checkMachine({ ...context, machine }, { session });
  return checks.find(({ name }) => name === 'ports');
}

describe('the check of the ports', () => {
  it('says that they are free', async () => {
    expect(await checkedPorts([])).toMatchObject({ status: 'ok', message: 'Free: 3351, 3310, 3931.' });
  });

  it('finds nothing wrong with the ports that the running dev of the project uses', async () => {
    expect(await checkedPorts([3351, 3310, 3931], dev)).toMatchObject({
      status: 'ok',
      message: 'Used by the running "vendor-cloud dev" of this project: 3351, 3310, 3931.',
      nextSteps: [],
    });
    expect(await checkedPorts([3310], sandboxAlone)).toMatchObject({
      status: 'ok',
      message: 'Free: 3351, 3931. Used by the running "vendor-cloud sandbox" of this project: 3310.',
    });
  });

  it('warns of a port that another process has, beside those of the project', async () => {
    const moved = { ...dev, agentUrl: 'http://127.0.0.1:40001/service' };
    expect(await checkedPorts([3351, 3310, 3931], moved)).toMatchObject({
      status: 'warning',
      message: 'Used by the running "vendor-cloud dev" of this project: 3310, 3931. Taken: 3351 (node (pid 7)).',
      nextSteps: [expect.stringContaining('takes other ports')],
    });
  });
});
