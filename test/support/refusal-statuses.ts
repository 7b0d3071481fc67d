/** Refusals that RFC 9110, 4918, 6585 and 7725 define to come before anything is done. A gateway may answer all else after the work. */
export const refusalStatuses = [
  400, 401, 402, 403, 404, 405, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 424, 426, 428, 429, 431,
  451, 501, 505,
];
