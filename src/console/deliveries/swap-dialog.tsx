import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Deployment } from '#contracts/deployments';
import type { Me } from '#contracts/identity';
import { Button, Buttons, Dialog, Facts, Failure, look, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import {
  changesQuery,
  type Deliveries,
  deliveriesQuery,
  deploy,
  deploymentLogQuery,
  findEarlier,
  variablesQuery,
} from '../model/deliveries.ts';
import { mayDeploy, mayReadHostLog, maySetVariables } from '../model/me.ts';
import styles from './deliveries.module.css';
import { DeploymentSteps } from './deployment-steps.tsx';
import type { Swap } from './standing.ts';
import { ChangesOfVersion } from './version-changes.tsx';

interface RollBackDialogProps {
  readonly environment: string;
  readonly live: Deployment;
  readonly person: Me;
  readonly onClose: () => void;
}

/** Serve again what served before the live deployment, as the command `rollback` does. */
export function RollBackDialog({ environment, live, person, onClose }: RollBackDialogProps) {
  const messages = useMessages();
  const { deliveries: words } = messages;
  const { data, error, refetch } = useQuery({
    queryKey: ['earlier deployment', environment, live.number],
    queryFn: async () => (await findEarlier(environment, live.number)) ?? null,
  });
  if (data) {
    const swap: Swap = { kind: 'rollback', environment, version: data.version, deployment: data };
    return <SwapDialog swap={swap} person={person} onClose={onClose} />;
  }
  return (
    <Dialog title={words.rollBack} onClose={onClose}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === null && <p>{words.noEarlier}</p>}
      <Buttons>
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}

interface SwapDialogProps {
  readonly swap: Swap;
  readonly person: Me;
  readonly onClose: () => void;
}

/** Shows what would change of what an environment serves, and changes it: by the request of `rollback` and `promote`. */
export function SwapDialog({ swap: wanted, person, onClose }: SwapDialogProps) {
  const messages = useMessages();
  const { deliveries: words } = messages;
  const client = useQueryClient();
  const [environment, setEnvironment] = useState(wanted.environment);
  /** Of one answer to the dialog: a request that is sent again deploys nothing twice. */
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const swap = { ...wanted, environment };
  const { kind, version, deployment } = swap;
  const { data: deliveries, error } = useQuery(deliveriesQuery(environment));
  const deploying = useMutation({
    mutationFn: (base: number | null) => {
      const target = deployment ? { deployment: deployment.number } : { version };
      return deploy(environment, { target, base, idempotencyKey });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries', environment] }),
  });
  const names = { rollback: words.rollBackTo, promote: words.promoteTitle, deploy: words.deploy };
  const title = names[kind](version);
  if (deploying.data) {
    const { data } = deploying;
    return <Ending title={title} deployment={data} environment={environment} person={person} onClose={onClose} />;
  }
  const isServed = deliveries && isServedAlready(swap, deliveries);
  return (
    <Dialog title={title} onClose={onClose}>
      {kind === 'promote' && <Goal environment={environment} person={person} onChange={setEnvironment} />}
      {error && <Failure error={error} />}
      {isServed && <p>{words.alreadyServed(environment, version)}</p>}
      {deliveries && !isServed && <WhatChanges swap={swap} deliveries={deliveries} person={person} />}
      {deploying.error && <Failure error={deploying.error} />}
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        <Button
          look="primary"
          disabled={!deliveries || isServed || deploying.isPending}
          onClick={() => deliveries && deploying.mutate(deliveries.live?.number ?? null)}
        >
          {kind === 'rollback' ? words.rollBack : kind === 'promote' ? words.promote : words.deploy(version)}
        </Button>
      </Buttons>
    </Dialog>
  );
}

function isServedAlready({ version, deployment }: Swap, { live, newestVariables }: Deliveries): boolean {
  if (deployment) return live?.number === deployment.number;
  return live?.version === version && live.variablesRevision === newestVariables;
}

interface GoalProps {
  readonly environment: string;
  readonly person: Me;
  readonly onChange: (environment: string) => void;
}

/** The environment that a version is promoted to: another one than that of the page. */
function Goal({ environment, person, onChange }: GoalProps) {
  const { deliveries: words } = useMessages();
  const { environment: here } = useParams({ from: '/$environment' });
  return (
    <label className={look.row}>
      {words.promoteTo}
      <select className={look.input} value={environment} onChange={({ target }) => onChange(target.value)}>
        {person.environments
          .filter(({ name }) => name !== here && mayDeploy(person, name))
          .map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
      </select>
    </label>
  );
}

interface WhatChangesProps {
  readonly swap: Swap;
  readonly deliveries: Deliveries;
  readonly person: Me;
}

/** What stops serving, what serves instead, and how the two differ. */
function WhatChanges({ swap, deliveries: { live, newestVariables }, person }: WhatChangesProps) {
  const { deliveries: words } = useMessages();
  const { environment, version, deployment } = swap;
  const revision = deployment?.variablesRevision ?? newestVariables;
  return (
    <>
      <Facts
        facts={[
          [words.stops, live ? words.servedText(live.version, live.number) : words.nothing],
          [words.begins, words.servedText(version, deployment?.number)],
        ]}
      />
      <Warnings environment={environment} version={version} live={live} />
      <section aria-label={words.swapTo(environment)}>
        <h3>{words.swapTo(environment)}</h3>
        <ChangesOfVersion environment={environment} version={version} replacing={live?.version ?? 0} />
      </section>
      <p>{deployment ? words.variablesBack(revision) : words.variablesOwn(environment)}</p>
      {live && live.variablesRevision !== revision && maySetVariables(person, environment) && (
        <VariablesThatChange environment={environment} before={live.variablesRevision} after={revision} />
      )}
      <p>{words.stays}</p>
    </>
  );
}

interface WarningsProps {
  readonly environment: string;
  readonly version: number;
  readonly live: Deployment | null;
}

/** What the schema of the two versions is a reason to think about. */
function Warnings({ environment, version, live }: WarningsProps) {
  const { deliveries: words } = useMessages();
  const { data } = useQuery(changesQuery(environment, version, live?.version ?? 0));
  if (data?.isBreaking) {
    return (
      <Notice kind="warning" title={words.swapBreaks}>
        <p>{words.swapBreaksWhy}</p>
      </Notice>
    );
  }
  if (data?.schema !== null) return null;
  return (
    <Notice kind="warning" title={words.swapUnknown}>
      <p>{words.swapUnknownWhy}</p>
    </Notice>
  );
}

interface VariablesThatChangeProps {
  readonly environment: string;
  /** Revisions. */
  readonly before: number;
  readonly after: number;
}

function VariablesThatChange({ environment, before, after }: VariablesThatChangeProps) {
  const { deliveries: words } = useMessages();
  const { data: was } = useQuery(variablesQuery(environment, before));
  const { data: is } = useQuery(variablesQuery(environment, after));
  const added = is?.names.filter((name) => !was?.names.includes(name)) ?? [];
  const removed = was?.names.filter((name) => !is?.names.includes(name)) ?? [];
  if (!was || !is) return null;
  return (
    <>
      {added.length > 0 && <p>{words.variablesAdded(added.join(', '))}</p>}
      {removed.length > 0 && <p className={styles['breaking']}>{words.variablesRemoved(removed.join(', '))}</p>}
    </>
  );
}

interface EndingProps {
  readonly title: string;
  readonly environment: string;
  readonly deployment: Deployment;
  readonly person: Me;
  readonly onClose: () => void;
}

/** The deployment until its end. It goes on when the dialog is closed. */
function Ending({ title, environment, deployment, person, onClose }: EndingProps) {
  const messages = useMessages();
  const { deliveries: words } = messages;
  const { number, version } = deployment;
  const mayRead = mayReadHostLog(person);
  const { data: log } = useQuery({ ...deploymentLogQuery(environment, number), enabled: mayRead });
  const state = log?.state ?? deployment.state;
  return (
    <Dialog title={title} onClose={onClose}>
      {mayRead && <DeploymentSteps environment={environment} number={number} />}
      {state === 'queued' || state === 'checking' ? (
        <p role="status">{words.deploying(version)}</p>
      ) : (
        <Notice kind={state === 'failed' ? 'danger' : 'success'} title={words.ended[state](version)}>
          {state === 'failed' && <p>{words.keepsServing}</p>}
        </Notice>
      )}
      <Buttons>
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}
