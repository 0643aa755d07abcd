import type { CreateDeployment, Deployment } from '#contracts/deployments';
import { CloudError } from '#kernel/errors/cloud-error';
import type { PlatformClient } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';

/** How long the platform is asked to wait for the next line of a deployment's log, in milliseconds. */
const waitMs = 15_000;

/** Begin a deployment, and follow it to its end. Rejects with `DEPLOYMENT_FAILED`, and with what the platform refuses it for. */
export async function deploy(
  context: FlowContext,
  client: PlatformClient,
  wanted: Pick<CreateDeployment, 'target' | 'base'>,
): Promise<Deployment> {
  return context.reporter.step('Deploying', async () => {
    const { number } = await client.createDeployment({ ...wanted, idempotencyKey: context.random.uuid() });
    for (let after = 0; ; ) {
      const { state, lines } = await client.deploymentLog(number, { after, waitMs });
      const isOver = state !== 'queued' && state !== 'checking';
      // The result says what the last line does.
      for (const { text } of isOver ? lines.slice(0, -1) : lines) context.reporter.info(text);
      after = lines.at(-1)?.sequence ?? after;
      if (!isOver) continue;
      const deployment = await client.deployment(number);
      if (deployment.state === 'failed') throw failed(deployment, wanted.base);
      return deployment;
    }
  });
}

function failed({ number, note }: Deployment, base: number | null): CloudError {
  const rest = base === null ? 'nothing serves yet' : 'the one before keeps serving';
  return new CloudError({
    code: 'DEPLOYMENT_FAILED',
    message: `Deployment ${number} failed, and ${rest}. ${note ?? ''}`.trim(),
    nextSteps: ['Mend what the message names, then push again.'],
    safeDetails: { deployment: number },
  });
}
