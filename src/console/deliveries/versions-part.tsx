import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Deployment } from '#contracts/deployments';
import type { Me } from '#contracts/identity';
import type { Version } from '#contracts/versions';
import { Button, Empty, Failure, look, Table } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { type Deliveries, deliveriesQuery, versionsQuery } from '../model/deliveries.ts';
import { mayDeploy } from '../model/me.ts';
import { sizeText } from '../values/file-content.ts';
import { Time } from '../values/time.tsx';
import styles from './deliveries.module.css';
import { type Swap, standingOf } from './standing.ts';
import { VersionPanel } from './version-panel.tsx';

const RollBackDialog = lazy(async () => ({ default: (await import('./swap-dialog.tsx')).RollBackDialog }));
const SwapDialog = lazy(async () => ({ default: (await import('./swap-dialog.tsx')).SwapDialog }));

interface VersionsPartProps {
  readonly environment: string;
  readonly person: Me;
}

/** The versions of the project, and how each stands in the environment. */
export function VersionsPart({ environment, person }: VersionsPartProps) {
  const messages = useMessages();
  const { deliveries: words } = messages;
  const { version: opened } = useParams({ from: '/$environment/deliveries/$part/{-$version}' });
  const navigate = useNavigate();
  /** The deployment that was live when somebody began to roll back: the dialog stays with it. */
  const [replaced, setReplaced] = useState<Deployment>();
  const [swap, setSwap] = useState<Swap>();
  const versions = useInfiniteQuery(versionsQuery(environment));
  const { data: deliveries } = useQuery(deliveriesQuery(environment));
  const all = versions.data?.pages.flatMap((page) => page.versions) ?? [];
  const open = (version?: number) =>
    void navigate({
      to: '/$environment/deliveries/$part/{-$version}',
      params: { environment, part: 'versions', version: version === undefined ? undefined : String(version) },
      replace: version === undefined,
    });
  if (versions.error) return <Failure error={versions.error} onRetry={() => void versions.refetch()} />;
  if (!versions.data || !deliveries) return <p className={look.late}>{messages.loading}</p>;
  if (all.length === 0) return <Empty title={words.noVersions} why={words.noVersionsWhy} />;
  const hasEarlier = !deliveries.isComplete || deliveries.deployments.some(({ state }) => state === 'replaced');
  const shown = all.find(({ number }) => String(number) === opened);
  return (
    <>
      {deliveries.live && mayDeploy(person, environment) && (
        <div className={look.row}>
          <Button disabled={!hasEarlier} onClick={() => setReplaced(deliveries.live ?? undefined)}>
            {words.rollBack}
          </Button>
          {!hasEarlier && <span className={look.small}>{words.noEarlier}</span>}
        </div>
      )}
      <VersionTable versions={all} deliveries={deliveries} onOpen={open} />
      {versions.hasNextPage && (
        <div>
          <Button disabled={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
            {words.older}
          </Button>
        </div>
      )}
      {opened !== undefined && !shown && <p role="status">{words.noSuchVersion(opened)}</p>}
      {shown && !swap && (
        <VersionPanel
          environment={environment}
          version={shown}
          deliveries={deliveries}
          person={person}
          onSwap={setSwap}
          onClose={() => open()}
        />
      )}
      <Suspense>
        {swap && <SwapDialog swap={swap} person={person} onClose={() => setSwap(undefined)} />}
        {replaced && (
          <RollBackDialog
            environment={environment}
            live={replaced}
            person={person}
            onClose={() => setReplaced(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}

interface VersionTableProps {
  readonly versions: readonly Version[];
  readonly deliveries: Deliveries;
  readonly onOpen: (version: number) => void;
}

function VersionTable({ versions, deliveries, onOpen }: VersionTableProps) {
  const { deliveries: words, code } = useMessages();
  const titles = [words.version, words.state, words.time, words.person, words.commit, words.size, words.note];
  return (
    <Table titles={titles} label={words.parts.versions}>
      {versions.map(({ number, createdAt, author, gitCommit, sizeBytes, message }) => (
        <tr key={number}>
          <th scope="row">
            <button
              type="button"
              className={look.open}
              aria-label={words.versionOf(number)}
              onClick={() => onOpen(number)}
            >
              {number}
            </button>
          </th>
          <Standing standing={standingOf(number, deliveries)} />
          <td>
            <Time at={createdAt} />
          </td>
          <td title={author.email}>
            <bdi>{author.name}</bdi>
          </td>
          <td>
            <code>{gitCommit?.slice(0, 8)}</code>
          </td>
          <td>{sizeText(sizeBytes, code)}</td>
          <td>
            <bdi>{message}</bdi>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Standing({ standing }: { readonly standing: ReturnType<typeof standingOf> }) {
  const { deliveries: words } = useMessages();
  return (
    <td className={styles['state']} data-standing={standing}>
      {words.standings[standing]}
    </td>
  );
}
