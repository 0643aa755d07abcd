import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { VersionChange, VersionChanges } from '#contracts/versions';
import { Failure, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { changesQuery } from '../model/deliveries.ts';
import { sizeText } from '../values/file-content.ts';
import styles from './deliveries.module.css';

interface ChangesProps {
  readonly environment: string;
  readonly version: number;
  /** The version in whose place it would serve; 0 for nothing. Default: the one before it. */
  readonly replacing?: number;
}

const sections = ['schema', 'dashboards', 'settings', 'rights'] as const;
const signs = { added: '+', removed: '-', changed: '~' } as const;

/** What changes with a version, in the words of the command `plan`. */
export function ChangesOfVersion({ environment, version, replacing }: ChangesProps) {
  const messages = useMessages();
  const { data, error, refetch } = useQuery(changesQuery(environment, version, replacing));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <p className={look.late}>{messages.loading}</p>;
  return (
    <>
      <Section title={messages.deliveries.sections.code}>
        <CodeChange code={data.code} />
      </Section>
      {sections
        .filter((each) => each === 'schema' || data[each]?.length !== 0)
        .map((each) => (
          <Section key={each} title={messages.deliveries.sections[each]}>
            <Changes changes={data[each]} />
          </Section>
        ))}
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className={styles['section']}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function CodeChange({ code: { before, after } }: Pick<VersionChanges, 'code'>) {
  const { deliveries, code } = useMessages();
  if (before?.digest === after.digest) return <p>{deliveries.sameCode}</p>;
  const described = ({ digest, sizeBytes, gitCommit }: VersionChanges['code']['after']) =>
    [digest.slice(0, 12), sizeText(sizeBytes, code), ...(gitCommit ? [gitCommit.slice(0, 8)] : [])].join(', ');
  return (
    <p>
      {before ? `${described(before)} → ` : ''}
      {described(after)}
    </p>
  );
}

function Changes({ changes }: { readonly changes: readonly VersionChange[] | null }) {
  const { deliveries } = useMessages();
  if (!changes) return <p>{deliveries.notKnown}</p>;
  if (changes.length === 0) return <p>{deliveries.noChange}</p>;
  return (
    <ul className={styles['plain']}>
      {changes.map(({ change, words, isBreaking }) => (
        <li key={`${change} ${words}`} className={styles['change']} data-change={change}>
          <b role="img" aria-label={deliveries.kinds[change]}>
            {signs[change]}
          </b>{' '}
          <bdi>{words}</bdi> {isBreaking && <span className={styles['breaking']}>({deliveries.breaking})</span>}
        </li>
      ))}
    </ul>
  );
}
