/** Leaves out of the functions' bundles what they do not use of some packages. */
module.exports = require('edgeloom/bundle');
