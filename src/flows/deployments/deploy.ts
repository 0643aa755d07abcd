import type { CreateDeployment, Deployment } from '#contracts/deployments';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { DeployingClient } from '#platform-client/deploying-client';
import type { FlowContext } from '../flow-context.ts';

/** How long the platform is asked to wait for the next line of a deployment's log, in milliseconds. */
const waitMs = 15_000;

export interface WantedDeployment extends Pick<CreateDeployment, 'target' | 'base'> {
  /** How long to wait for its end, in milliseconds. Default: for ever. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Begin a deployment, follow it to its end, and see that it is what the environment serves. Rejects with `DEPLOYMENT_FAILED`,
 * `DEPLOYMENT_UNFINISHED`, `REQUEST_CONFLICT`, and with what the platform refuses it for.
 */
export async function deploy(
  context: FlowContext,
  client: DeployingClient,
  { target, base, timeoutMs = Number.POSITIVE_INFINITY }: WantedDeployment,
): Promise<Deployment> {
  return context.reporter.step('Deploying', async () => {
    const end = context.clock.monotonicMs() + timeoutMs;
    const { number } = await client.createDeployment({ target, base, idempotencyKey: context.random.uuid() });
    await follow(context, client, number, end, timeoutMs);
    const deployment = await client.deployment(number);
    if (deployment.state === 'failed') throw failed(deployment, base);
    const { live } = await client.listDeployments({ limit: 1 });
    if (live !== number) throw replaced(number, live);
    return deployment;
  });
}

/** Report what happens in a deployment until it comes to its end. The result says what the last line does. */
async function follow(
  { clock, reporter }: FlowContext,
  client: DeployingClient,
  number: number,
  end: number,
  timeoutMs: number,
): Promise<void> {
  for (let after = 0; ; ) {
    const leftMs = end - clock.monotonicMs();
    if (leftMs <= 0) throw unfinished(number, timeoutMs);
    const { state, lines } = await client.deploymentLog(number, { after, waitMs: Math.ceil(Math.min(waitMs, leftMs)) });
    const isOver = state !== 'queued' && state !== 'checking';
    for (const { text } of isOver ? lines.slice(0, -1) : lines) reporter.info(text);
    if (isOver) return;
    after = lines.at(-1)?.sequence ?? after;
  }
}

function failed({ number, note }: Deployment, base: number | null): CloudError {
  const rest = base === null ? 'nothing serves yet' : 'the one before keeps serving';
  return cloudError(
    'DEPLOYMENT_FAILED',
    `Deployment ${number} failed, and ${rest}. ${note ?? ''}`.trim(),
    'Fix what the message names, then deploy again.',
    { safeDetails: { deployment: number } },
  );
}

function unfinished(number: number, timeoutMs: number): CloudError {
  return cloudError(
    'DEPLOYMENT_UNFINISHED',
    `Deployment ${number} did not come to its end within ${timeoutMs / 1000} s. The platform goes on with it.`,
    ['See how it ends: vendor-cloud versions', 'Wait longer for the next one with --timeout.'],
    { safeDetails: { deployment: number } },
  );
}

function replaced(number: number, live: number | null): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `Deployment ${number} was live, and ${live === null ? 'nothing' : `deployment ${live}`} is live by now.`,
    'See who deployed what: vendor-cloud versions',
    { safeDetails: { deployment: number, live } },
  );
}
