import type { Deployment } from '#contracts/deployments';
import type { Me } from '#contracts/identity';
import type { Version } from '#contracts/versions';
import { Button, Buttons, Dialog, Facts, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import type { Deliveries } from '../model/deliveries.ts';
import { mayDeploy, mayReadHostLog } from '../model/me.ts';
import { sizeText } from '../values/file-content.ts';
import { Time } from '../values/time.tsx';
import { timeText } from '../values/time-text.ts';
import styles from './deliveries.module.css';
import { DeploymentSteps } from './deployment-steps.tsx';
import { deploymentsOf, type Swap, standingOf, swapTo } from './standing.ts';
import { ChangesOfVersion } from './version-changes.tsx';

interface VersionPanelProps {
  readonly environment: string;
  readonly version: Version;
  readonly deliveries: Deliveries;
  readonly person: Me;
  readonly onSwap: (swap: Swap) => void;
  readonly onClose: () => void;
}

/** One version: what it changed, how its deployments ended, and what may be done with it. */
export function VersionPanel({ environment, version, deliveries, person, onSwap, onClose }: VersionPanelProps) {
  const messages = useMessages();
  const { deliveries: words } = messages;
  const { number } = version;
  return (
    <Dialog title={words.versionOf(number)} onClose={onClose} isAtSide>
      <VersionFacts version={version} standing={words.standings[standingOf(number, deliveries)]} />
      <section aria-label={words.changes}>
        <h3>{words.changes}</h3>
        <p className={look.small}>{number === 1 ? words.changesOfFirst : words.changesSince(number - 1)}</p>
        <ChangesOfVersion environment={environment} version={number} />
      </section>
      <DeploymentsHere
        environment={environment}
        deployments={deploymentsOf(number, deliveries)}
        mayReadSteps={mayReadHostLog(person)}
      />
      <Buttons>
        <Button onClick={onClose}>{messages.close}</Button>
        <Ways environment={environment} version={number} deliveries={deliveries} person={person} onSwap={onSwap} />
      </Buttons>
    </Dialog>
  );
}

function VersionFacts({ version, standing }: { readonly version: Version; readonly standing: string }) {
  const { deliveries: words, code } = useMessages();
  const { createdAt, author, gitCommit, sizeBytes, message, builtWith, digest } = version;
  const facts = [
    [words.state, standing],
    [words.time, timeText(createdAt)],
    [words.person, `${author.name} <${author.email}>`],
    ...(gitCommit ? [[words.commit, gitCommit] as const] : []),
    ...(message ? [[words.note, message] as const] : []),
    [words.size, sizeText(sizeBytes, code)],
    [words.digest, digest],
    [words.builtWith, builtWith],
  ] as const;
  return <Facts facts={facts} />;
}

interface DeploymentsHereProps {
  readonly environment: string;
  readonly deployments: readonly Deployment[];
  readonly mayReadSteps: boolean;
}

function DeploymentsHere({ environment, deployments, mayReadSteps }: DeploymentsHereProps) {
  const { deliveries: words } = useMessages();
  if (deployments.length === 0) return null;
  return (
    <section aria-label={words.deployments}>
      <h3>{words.deployments}</h3>
      <ul className={styles['plain']}>
        {deployments.map(({ number, state, note, author, createdAt }, index) => (
          <li key={number}>
            {words.deploymentOf(number)} {words.deploymentStates[state]} (<Time at={createdAt} />,{' '}
            <bdi>{author.name}</bdi>){note && <p>{note}</p>}
            {mayReadSteps && (
              <details open={index === 0}>
                <summary>{words.steps}</summary>
                <DeploymentSteps environment={environment} number={number} />
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface WaysProps extends Pick<VersionPanelProps, 'environment' | 'deliveries' | 'person' | 'onSwap'> {
  readonly version: number;
}

/** Where the version may serve. Environments whose rights the person lacks are left out. */
function Ways({ environment, version, deliveries, person, onSwap }: WaysProps) {
  const { deliveries: words } = useMessages();
  const swap = swapTo(version, environment, deliveries);
  const isLive = deliveries.live?.version === version;
  const isNewest = deliveries.live?.variablesRevision === deliveries.newestVariables;
  const others = person.environments.filter(({ name }) => name !== environment && mayDeploy(person, name));
  const [first] = others;
  return (
    <>
      {isLive && first && (
        <Button onClick={() => onSwap({ kind: 'promote', environment: first.name, version, deployment: null })}>
          {words.promote}
        </Button>
      )}
      {mayDeploy(person, environment) && !(isLive && isNewest) && (
        <Button look="primary" onClick={() => onSwap(swap)}>
          {isLive ? words.deployAgain : swap.kind === 'rollback' ? words.rollBackTo(version) : words.deploy(version)}
        </Button>
      )}
    </>
  );
}
