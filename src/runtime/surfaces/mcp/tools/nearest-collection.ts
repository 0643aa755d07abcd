import { isCloudError } from '#kernel/errors/cloud-error';
import { nearestName } from '#kernel/text/nearest-name';
import { callerOf, unknownCollection } from './arguments.ts';
import { isPermitted } from './is-permitted.ts';
import type { ToolCall } from './tool.ts';

/** The answer of a tool. The error for an unknown collection names the nearest one, if the caller may see that. */
export async function namingNearestCollection<Answer>(answer: Promise<Answer>, call: ToolCall): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const wanted = isCloudError(error) ? error.details['unknownCollection'] : undefined;
    const { model, authoriser } = call.state;
    const nearest = typeof wanted === 'string' ? nearestName(wanted, model.collections.keys()) : undefined;
    if (typeof wanted !== 'string' || nearest === undefined) throw error;
    const isVisible = await isPermitted(authoriser.require(callerOf(call), nearest, 'browse'));
    throw isVisible ? unknownCollection(wanted, nearest) : error;
  }
}
