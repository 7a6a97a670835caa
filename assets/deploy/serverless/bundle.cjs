/** Leaves out of the functions' bundles what they do not use of some packages, and splits off what they need seldom. */
module.exports = require('edgeloom/bundle');
