import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Approval } from '#contracts/approvals';
import { Empty, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { approvalsQuery } from '../model/approvals.ts';
import { timeText } from '../values/time-text.ts';
import styles from './approval.module.css';

/** The requests for approvals: those to answer, one's own, and what was answered. */
export function ApprovalsScreen() {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment/approvals' });
  const { data: approvals } = useSuspenseQuery(approvalsQuery({ environment }));
  const toDecide = approvals.filter(({ mayDecide }) => mayDecide);
  const own = approvals.filter(({ isOwn, state, mayDecide }) => isOwn && state === 'asked' && !mayDecide);
  const decided = approvals.filter(({ state }) => state !== 'asked');
  return (
    <>
      <Title>{messages.approvals}</Title>
      <ApprovalList title={messages.approvalsToDecide} none={messages.approvalsNone} approvals={toDecide} />
      {own.length > 0 && <ApprovalList title={messages.approvalsOwn} approvals={own} />}
      {decided.length > 0 && <ApprovalList title={messages.approvalsDecided} approvals={decided} />}
    </>
  );
}

interface ApprovalListProps {
  readonly title: string;
  readonly none?: string;
  readonly approvals: readonly Approval[];
}

function ApprovalList({ title, none, approvals }: ApprovalListProps) {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment/approvals' });
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {approvals.length === 0 && none !== undefined && <Empty title={none} />}
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
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
