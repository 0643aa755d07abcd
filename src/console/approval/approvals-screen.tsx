import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Approval } from '#contracts/approvals';
import { Empty, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { useSeenAnswers } from '../model/approvals.ts';
import { approvalsQuery, newAnswers } from '../model/known-approvals.ts';
import { mayReadRights, meQuery } from '../model/me.ts';
import { preferences } from '../model/preferences.ts';
import { timeText } from '../values/time-text.ts';
import styles from './approval.module.css';

/** The requests for approvals: those to answer, one's own, and what was answered. */
export function ApprovalsScreen() {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment/approvals' });
  const { data: approvals } = useSuspenseQuery(approvalsQuery({ environment }));
  const { data: person } = useSuspenseQuery(meQuery);
  const toDecide = approvals.filter(({ mayDecide }) => mayDecide);
  const own = approvals.filter(({ isOwn, state, mayDecide }) => isOwn && state === 'asked' && !mayDecide);
  const decided = approvals.filter(({ state }) => state !== 'asked');
  const [seenAt] = useState(() => preferences().answersSeenAt);
  const news = new Set(newAnswers(approvals, seenAt));
  useSeenAnswers(approvals);
  return (
    <>
      <Title>{messages.approvals}</Title>
      {toDecide.length > 0 && <ApprovalList title={messages.approvalsToDecide} approvals={toDecide} />}
      {toDecide.length + own.length === 0 && (
        <Empty title={messages.approvalsNone} why={messages.approvalsNoneWhy}>
          {mayReadRights(person) && (
            <Link to="/$environment/rights" params={{ environment }}>
              {messages.people.toRights}
            </Link>
          )}
        </Empty>
      )}
      {own.length > 0 && <ApprovalList title={messages.approvalsOwn} approvals={own} />}
      {decided.length > 0 && <ApprovalList title={messages.approvalsDecided} approvals={decided} news={news} />}
    </>
  );
}

interface ApprovalListProps {
  readonly title: string;
  readonly approvals: readonly Approval[];
  /** Those that the person has not seen before. */
  readonly news?: ReadonlySet<Approval>;
}

function ApprovalList({ title, approvals, news }: ApprovalListProps) {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment/approvals' });
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className={styles['list']}>
        {approvals.map((approval) => (
          <li key={approval.id} className={styles['entry']}>
            <Link
              to="/$environment/approvals/$approval"
              params={{ environment, approval: String(approval.id) }}
              className={styles['link']}
            >
              <bdi>{approval.action}</bdi>
              <span className={styles['about']}>
                {messages.approvalAbout(approval.person.name, String(approval.records), approval.collection)}
              </span>
              <span className={styles['about']}>
                {messages.approvalStates[approval.state]} · <time>{timeText(approval.askedAt)}</time>
                {news?.has(approval) && <strong> · {messages.notes.isNew}</strong>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
