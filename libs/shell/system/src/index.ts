export {
  accessTokenDigest,
  accessTokenHash,
  digestOfHash,
  isAccessToken,
  isAccessTokenHash,
  newAccessToken,
} from './access-token.ts';
export { BackOff, type BackOffLimits, RECONNECT_BACK_OFF } from './back-off.ts';
export { CronCalendar } from './calendar/cron-calendar.ts';
export { withinDeadline } from './deadline.ts';
export { type HttpAnswer, HttpAsker, type HttpQuestion, type HttpTrust, jsonOf, NoAnswer } from './http-question.ts';
export { makeDirectory } from './make-directory.ts';
export { News } from './news.ts';
export { type Patience, patiently } from './patience.ts';
export { pause } from './pause.ts';
export { type ReadOnce, readSecretFile, secretIn } from './secret-file.ts';
export { SilentEndpoints } from './silent-endpoints.ts';
export { systemClock } from './system-clock.ts';
export { EXTENSION_NAME, EXTENSION_TEXT, tokenEndpointProblem } from './token-endpoint.ts';
export { Wait } from './wait.ts';
export { whileWaiting } from './while-waiting.ts';
export { withoutCredentials } from './without-credentials.ts';
