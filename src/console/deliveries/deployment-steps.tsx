import { useQuery } from '@tanstack/react-query';
import { Failure, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { deploymentLogQuery } from '../model/deliveries.ts';
import { Time } from '../values/time.tsx';
import styles from './deliveries.module.css';

interface DeploymentStepsProps {
  readonly environment: string;
  readonly number: number;
}

/** What happened in a deployment; while it is on its way, each step as it comes. */
export function DeploymentSteps({ environment, number }: DeploymentStepsProps) {
  const messages = useMessages();
  const { data, error, refetch } = useQuery(deploymentLogQuery(environment, number));
  return (
    <>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <p className={look.late}>{messages.loading}</p>}
      <ol className={styles['steps']} aria-label={messages.deliveries.steps} aria-live="polite">
        {data?.lines.map(({ sequence, at, text }) => (
          <li key={sequence}>
            <span className={look.small}>
              <Time at={at} />
            </span>{' '}
            <bdi>{text}</bdi>
          </li>
        ))}
      </ol>
    </>
  );
}
