import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ChartResult, ChartResultBuilder } from '../customizer/chart-definition.ts';
import { legibleThrown } from '../user-code/legible-thrown.ts';
import { refusalOf } from '../user-code/refusal-of.ts';
import { handlerNames } from '../user-code/running-code.ts';
import { createChartResultBuilder } from './chart-result-builder.ts';

/**
 * Run the code of a chart. Resolves to the value of the chart, as JSON.
 *
 * @param subject What errors of its code call the chart.
 * @throws `CUSTOMIZATION_FAILED` for a chart that threw, or returned something else than a result of the result builder.
 */
export async function runChart<Context extends { readonly timezone: string }>(
  subject: string,
  definition: (context: Context, resultBuilder: ChartResultBuilder) => ChartResult | Promise<ChartResult>,
  context: Context,
): Promise<unknown> {
  let result: unknown;
  try {
    result = await handlerNames.run(subject, () => definition(context, createChartResultBuilder(context.timezone)));
  } catch (thrown) {
    const error = legibleThrown(thrown);
    const said = error instanceof Error ? error.message : String(error);
    throw refusalOf(error) ?? chartFailed(`${subject} threw: ${said}`, error);
  }
  if (isChartResult(result)) return result.value;
  throw chartFailed(`${subject} returned something that no method of the result builder has made.`);
}

function isChartResult(result: unknown): result is ChartResult {
  return typeof result === 'object' && result !== null && 'type' in result && result.type === 'chart';
}

function chartFailed(message: string, cause?: unknown): CloudError {
  return cloudError(
    'CUSTOMIZATION_FAILED',
    message,
    'Correct the code of the chart; it returns resultBuilder.value(…) or another of its methods.',
    { ...(cause === undefined ? {} : { cause }) },
  );
}
